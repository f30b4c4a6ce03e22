--------------------------- MODULE InvariantDeep ---------------------------
\* Two jugs of 3 and 5: four units can be measured, but not in few steps.
EXTENDS Naturals

VARIABLES small, big
Min(a, b) == IF a < b THEN a ELSE b

Init == small = 0 /\ big = 0
Next == \/ small' = 3 /\ big' = big
        \/ big' = 5 /\ small' = small
        \/ small' = 0 /\ big' = big
        \/ big' = 0 /\ small' = small
        \/ LET k == Min(small, 5 - big) IN small' = small - k /\ big' = big + k
        \/ LET k == Min(big, 3 - small) IN big' = big - k /\ small' = small + k

Typed   == small \in 0..3 /\ big \in 0..5
NotFour == big # 4
=============================================================================
