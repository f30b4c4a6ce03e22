----------------------------- MODULE Constraint -----------------------------
\* CONSTRAINT: states beyond it are found and checked but not expanded (and not counted).
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x' = x + 1 /\ y' = y
        \/ y' = y + 1 /\ x' = x
        \/ x > y /\ x' = y /\ y' = x
Near == x + y <= 6
NotFar == y < 6
Never == x \in 0..7
=============================================================================
