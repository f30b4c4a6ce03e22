-------------------------- MODULE PropertyInitBad --------------------------
\* A property that speaks of the initial state alone, and is wrong about one of them.
EXTENDS Naturals
VARIABLE x
Init == x \in 0..3
Next == x' = (x + 1) % 4
Spec == Init /\ [][Next]_x
Zero == x < 3
=============================================================================
