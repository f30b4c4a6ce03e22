--------------------------- MODULE ErrPrecedence ---------------------------
\* /\ and \/ side by side without parentheses mean nothing.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x /\ TRUE \/ FALSE
=============================================================================
