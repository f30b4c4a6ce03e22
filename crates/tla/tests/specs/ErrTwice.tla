------------------------------ MODULE ErrTwice ------------------------------
\* A name is defined twice.
EXTENDS Naturals
VARIABLE x
Double == 2
Double == 3
Init == x = 0
Next == x' = x
=============================================================================
