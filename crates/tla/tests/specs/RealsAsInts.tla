----------------------------- MODULE RealsAsInts -----------------------------
\* Reals extends Integers; numbers without a point are all that can be evaluated.
EXTENDS Reals
VARIABLE x
ASSUME 3 \in Int /\ 2 + 3 = 5 /\ -1 < 0
Init == x = 3
Next == x > -3 /\ x' = x - 1
=============================================================================
