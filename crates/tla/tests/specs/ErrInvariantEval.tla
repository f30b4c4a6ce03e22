-------------------------- MODULE ErrInvariantEval --------------------------
\* The evaluation of an invariant fails, in the fourth state.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Inv == <<5, 5, 5>>[x + 1] = 5
=============================================================================
