------------------------- MODULE ActionComposition -------------------------
\* \cdot: one action after the other as a single step.
EXTENDS Naturals
VARIABLES x, y
Inc == x' = x + 1 /\ UNCHANGED y
Dbl == x' = 2 * x /\ y' = 1 - y
Init == x = 0 /\ y = 0
Next == x < 5 /\ (Inc \cdot Dbl)
=============================================================================
