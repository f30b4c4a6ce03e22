------------------------- MODULE LiveQuantifiedBad -------------------------
\* Liveness where a quantified property has many instances, of which one fails.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' \in {(x + 1) % 5, 0}
Spec == Init /\ [][Next]_x /\ WF_x(Next)
AllVisited == \A k \in 0..4 : []<>(x = k)
=============================================================================
