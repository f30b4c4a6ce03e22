--------------------------- MODULE ErrTuplesHuge ---------------------------
\* Not too many elements, but each of them is long.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' \in UNION {[1..k -> {0, 1}] : k \in 0..64}
=============================================================================
