---- MODULE NoFairness ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm NoFairness
variables x = 0;
begin
a: x := 1;
b: x := 2;
end algorithm
*)
====
