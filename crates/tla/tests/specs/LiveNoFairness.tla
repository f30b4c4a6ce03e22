--------------------------- MODULE LiveNoFairness ---------------------------
\* The same without fairness: it may stutter for ever.
EXTENDS Naturals
VARIABLE x
Init == x \in 0..2
Next == x < 5 /\ x' = x + 1
Spec == Init /\ [][Next]_x
Arrives == <>(x = 5)
=============================================================================
