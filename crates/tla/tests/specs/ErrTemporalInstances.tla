------------------------ MODULE ErrTemporalInstances ------------------------
\* A temporal quantifier whose instances cannot all be formulas.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = 1 - x
Spec == Init /\ [][Next]_x
Comes == \A k \in SUBSET (1..30) : <>(x \in k)
=============================================================================
