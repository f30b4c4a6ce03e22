----------------------------- MODULE GenExists -----------------------------
\* As GenDisjunct: every witness gives a state; a universal quantifier is a conjunction.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x = 0 /\ x' = 1 /\ y' = 0 /\ \E k \in 1..3 : k > 0            \* 1: all assigned before
        \/ x = 1 /\ \E k \in 1..4 : x' = 2 /\ y' = k % 2                 \* 4
        \/ x = 2 /\ \E k, l \in 1..2 : k # l /\ x' = 3 /\ y' = k         \* 2
        \/ x = 3 /\ (\A k \in {1, 2} : y' \in {0, 1}) /\ x' = 4          \* 2
        \/ x = 4 /\ (\A k \in {} : y' = k) /\ x' = 5 /\ y' = 0           \* 1
        \/ x = 5 /\ \E S \in SUBSET {1, 2} : S # {} /\ x' = 6 /\ y' = 0  \* 3
        \/ x = 6 /\ (\E k \in 1..3 : k = 2) /\ x' = 0 /\ y' = 0          \* 1
        \/ x = 6 /\ x' = 6 /\ y' = y /\ ~ \E k \in 1..3 : k > 5          \* 1
=============================================================================
