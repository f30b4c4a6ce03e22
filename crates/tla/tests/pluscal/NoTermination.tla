---- MODULE NoTermination ----
EXTENDS Naturals, Sequences, TLC
(*
PlusCal options (noDoneDisjunct)
--algorithm NoTermination
variables x = 0;
begin
a: while x < 3 do
  x := x + 1;
end while;
end algorithm
*)
====
