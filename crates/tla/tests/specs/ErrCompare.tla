----------------------------- MODULE ErrCompare -----------------------------
\* A number is compared with a string.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == /\ x # 3
        /\ x' = IF x = 2 THEN "three" ELSE x + 1
=============================================================================
