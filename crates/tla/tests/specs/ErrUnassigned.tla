--------------------------- MODULE ErrUnassigned ---------------------------
\* A step that says nothing about one variable.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ x < 4
=============================================================================
