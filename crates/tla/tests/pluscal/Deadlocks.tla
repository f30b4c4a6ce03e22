---- MODULE Deadlocks ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Deadlocks
variables a = TRUE, b = TRUE;
process P = 1
begin
p1: await a; a := FALSE;
p2: await b; b := FALSE;
p3: a := TRUE; b := TRUE;
end process
process Q = 2
begin
q1: await b; b := FALSE;
q2: await a; a := FALSE;
q3: a := TRUE; b := TRUE;
end process
end algorithm
*)
====
