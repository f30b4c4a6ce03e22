----------------------- MODULE FunctionActionOutside ------------------------
\* A function whose values are actions is applied outside its domain.
EXTENDS Naturals
VARIABLE x
Step[n \in 1..2] == x' = n
Init == x = 0
Next == \E n \in 1..3 : Step[n]
=============================================================================
