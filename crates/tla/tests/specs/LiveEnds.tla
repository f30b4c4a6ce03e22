------------------------------ MODULE LiveEnds ------------------------------
\* A behaviour that ends stutters for ever, also under fairness: the goal is on one branch only.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == \/ x = 0 /\ x' \in {1, 2}
        \/ x = 1 /\ x' = 3
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Goal == <>(x = 3)
=============================================================================
