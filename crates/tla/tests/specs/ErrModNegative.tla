--------------------------- MODULE ErrModNegative ---------------------------
\* The second argument of % must be positive.
EXTENDS Integers
VARIABLE x
Init == x = 2
Next == x' = x - 1 /\ 7 % x >= 0
=============================================================================
