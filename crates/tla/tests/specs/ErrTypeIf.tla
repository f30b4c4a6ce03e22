----------------------------- MODULE ErrTypeIf -----------------------------
\* A condition that is not a boolean.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = IF x THEN 1 ELSE 2
=============================================================================
