---------------------------- MODULE ErrOverflow ----------------------------
\* Numbers are of 32 bits for TLC: beyond them is an error, not a wrong number.
EXTENDS Naturals
VARIABLE x
Init == x = 1
Next == x' = x * 10
=============================================================================
