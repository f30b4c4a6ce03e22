---------------------------- MODULE ErrUnionHuge ----------------------------
\* The parts of a union are small, but there is no end of them.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = IF UNION SUBSET (1..1000000) = {} THEN 1 ELSE 2
=============================================================================
