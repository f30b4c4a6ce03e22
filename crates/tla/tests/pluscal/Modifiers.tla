---- MODULE Modifiers ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Modifiers
variables lock = FALSE, n = 0;
procedure Bump()
begin
b1:+ await ~lock;
     lock := TRUE;
b2:- n := n + 1;
b3:  lock := FALSE;
     return;
end procedure
fair process P \in {1, 2}
begin
p1:- call Bump();
p2:+ skip;
p3:+ n := n;
p4:- skip;
end process
fair+ process Q = 3
begin
q1: call Bump();
q2:- skip;
end process
process R = 4
begin
r1: skip;
end process
end algorithm
*)
Live == <>(pc[3] = "q2")
====
