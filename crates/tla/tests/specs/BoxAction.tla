----------------------------- MODULE BoxAction -----------------------------
\* [A]_v and <<A>>_v inside a next-state action.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Up == x' = (x + 1) % 3 /\ y' = y
Flip == x' = x /\ y' \in {0, 1}
Init == x = 0 /\ y = 0
Next == [Up]_vars \/ <<Flip>>_vars \/ (x = 2 /\ <<x' = 2 /\ y' = 1 - y>>_y)
=============================================================================
