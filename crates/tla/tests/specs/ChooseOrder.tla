---------------------------- MODULE ChooseOrder ----------------------------
\* Any value that fits would be right; TLC takes the first one in its order, and counts of states depend on it.
EXTENDS Naturals, FiniteSets
VARIABLE S
ASSUME (CHOOSE x \in {3, 1, 2} : TRUE) = 1
ASSUME (CHOOSE x \in 5..9 : x % 2 = 0) = 6
ASSUME (CHOOSE T \in SUBSET {1, 2} : TRUE) = {}
ASSUME (CHOOSE t \in {1, 2} \X {3, 4} : TRUE) = <<1, 3>>
ASSUME (CHOOSE f \in [1..2 -> 0..1] : TRUE) = <<0, 0>>
ASSUME (CHOOSE x \in {2 * y : y \in {5, 1, 3}} : TRUE) = 2
ASSUME (CHOOSE T \in {{2}, {1, 2}, {1}} : TRUE) = {1}
ASSUME (CHOOSE q \in {<<2>>, <<1, 5>>, <<1>>} : TRUE) = <<1>>
Init == S = {1, 4, 6}
Next == LET x == CHOOSE x \in S : TRUE IN S' = (S \ {x}) \cup {(x * 2) % 7}
=============================================================================
