---------------------------- MODULE ErrInfinite ----------------------------
\* An infinite set cannot be listed.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == \E n \in Nat : n > x /\ x' = n
=============================================================================
