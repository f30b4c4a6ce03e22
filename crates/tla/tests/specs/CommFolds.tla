----------------------------- MODULE CommFolds -----------------------------
\* The community module Folds: one operator.
EXTENDS Folds, Naturals
VARIABLE x
Total(S) == MapThenFoldSet(LAMBDA a, b : a + b, 0, LAMBDA e : e * e, LAMBDA T : CHOOSE e \in T : TRUE, S)
ASSUME Total({}) = 0 /\ Total(1..4) = 30
ASSUME MapThenFoldSet(LAMBDA a, b : a \cup b, {}, LAMBDA e : {e, e + 10}, LAMBDA T : CHOOSE e \in T : TRUE, {1, 2}) = {1, 2, 11, 12}
Init == x = 0
Next == x' = Total(0..x) % 7
=============================================================================
