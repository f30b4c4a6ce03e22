--------------------------- MODULE LiveEventually ---------------------------
\* <> under weak fairness.
EXTENDS Naturals
VARIABLE x
Init == x \in 0..2
Next == x < 5 /\ x' = x + 1
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Arrives == <>(x = 5)
Stays == <>[](x = 5)
=============================================================================
