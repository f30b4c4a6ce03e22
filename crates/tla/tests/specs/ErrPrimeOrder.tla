--------------------------- MODULE ErrPrimeOrder ---------------------------
\* From left to right: a primed variable is read before it has its value.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = y' + 1 /\ y' = 0
=============================================================================
