------------------------------ MODULE Deadlock ------------------------------
\* Two clerks take two stamps in opposite order: both hold one, both wait.
EXTENDS Naturals

VARIABLES holder, pc
Clerks == {1, 2}
First(c) == c
Second(c) == 3 - c

Init == holder = [s \in 1..2 |-> 0] /\ pc = [c \in Clerks |-> "idle"]

Grab(c, s, now, next) == /\ pc[c] = now /\ holder[s] = 0
                         /\ holder' = [holder EXCEPT ![s] = c]
                         /\ pc' = [pc EXCEPT ![c] = next]
Next == \E c \in Clerks :
          \/ Grab(c, First(c), "idle", "one")
          \/ Grab(c, Second(c), "one", "both")
          \/ /\ pc[c] = "both"
             /\ holder' = [s \in 1..2 |-> 0]
             /\ pc' = [pc EXCEPT ![c] = "idle"]
=============================================================================
