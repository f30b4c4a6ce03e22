------------------------------ MODULE ErrField ------------------------------
\* A record without that field.
EXTENDS Naturals
VARIABLE r
Init == r = [a |-> 0]
Next == r' = [r EXCEPT !.a = @ + 1] /\ (r.a > 1 => r.b = 1)
=============================================================================
