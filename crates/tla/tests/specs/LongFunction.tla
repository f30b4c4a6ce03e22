---------------------------- MODULE LongFunction ----------------------------
\* A function that is too long says so before room is made for it.
EXTENDS Naturals
VARIABLE x
Init == x = [n \in 1..2000000000 |-> n]
Next == x' = x
=============================================================================
