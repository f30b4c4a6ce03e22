--------------------------- MODULE InstanceNamed ---------------------------
\* Two named instances of one module with different substitutions, side by side.
EXTENDS Naturals
VARIABLES p, q
One(n) == n + 1
P == INSTANCE InstLib WITH c <- p, Bound <- 3, By <- One
Q == INSTANCE InstLib WITH c <- q, Bound <- 4, By <- LAMBDA n : n + 2

ASSUME P!Twice(2) + P!Twice(1) = 6

Init == P!Start /\ Q!Start
Next == \/ P!Tick /\ UNCHANGED q
        \/ Q!Tick /\ UNCHANGED p
        \/ P!Reset /\ Q!Reset
Fine == P!InRange /\ q \in 0..5
=============================================================================
