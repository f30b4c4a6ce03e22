---- MODULE CallGoto ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm CallGoto
variables n = 0;
procedure Add(k)
begin
A: n := n + k;
   return;
end procedure
begin
S: call Add(1);
   goto U;
T: call Add(10);
   goto V;
U: call Add(100);
   goto T;
V: assert n = 111;
end algorithm
*)
====
