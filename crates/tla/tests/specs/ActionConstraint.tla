-------------------------- MODULE ActionConstraint --------------------------
\* ACTION_CONSTRAINT: steps that it forbids do not exist for the checker.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x' \in 0..4 /\ y' = y
        \/ y' \in 0..4 /\ x' = x
SmallSteps == x' <= x + 1 /\ y' <= y + 2
NoReturn == x' >= x
=============================================================================
