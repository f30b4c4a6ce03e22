------------------------------ MODULE GenInit ------------------------------
\* Initial states: disjunctions, quantifiers, sets drawn from, tests before and after; duplicates are generated too.
EXTENDS Naturals
VARIABLES x, y
Init == \/ x = 0 /\ y \in 0..2                           \* 3
        \/ x \in 0..1 /\ y = x                           \* 2, one known
        \/ \E k \in 1..3 : x = 5 /\ y = k \div 2         \* 3, two distinct
        \/ y = 7 /\ x \in {k \in 0..9 : k > y}           \* 2
        \/ x = 3 /\ (x > 1 \/ x > 2) /\ y = IF x = 3 THEN 0 ELSE 1   \* 2, one distinct
Next == UNCHANGED <<x, y>>
=============================================================================
