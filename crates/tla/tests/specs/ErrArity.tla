------------------------------ MODULE ErrArity ------------------------------
\* An operator of two arguments with one.
EXTENDS Naturals
VARIABLE x
Pairing(a, b) == a + b
Init == x = 0
Next == x' = Pairing(x)
=============================================================================
