-------------------------- MODULE ErrUndefinedInit --------------------------
\* A variable is read before it has a value.
EXTENDS Naturals
VARIABLES x, y
Init == x = y + 1 /\ y = 0
Next == UNCHANGED <<x, y>>
=============================================================================
