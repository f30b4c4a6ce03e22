---------------------------- MODULE NoVariables ----------------------------
\* A module without a behaviour: only the assumptions are checked.
EXTENDS Naturals
Square(n) == n * n
ASSUME \A n \in 1..20 : Square(n) >= n
ASSUME Facts == Square(12) = 144
THEOREM Square(2) = 5      \* a theorem is not evaluated
=============================================================================
