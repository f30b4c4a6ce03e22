------------------------- MODULE CommFiniteSetsExt -------------------------
\* Operators of the community module FiniteSetsExt.
EXTENDS FiniteSetsExt, Naturals
VARIABLE S
ASSUME FoldSet(LAMBDA x, y : x + y, 0, 1..4) = 10
ASSUME ReduceSet(LAMBDA x, y : x * y, 1..4, 1) = 24
ASSUME SumSet({1, 2, 3}) = 6 /\ SumSet({}) = 0
ASSUME ProductSet({2, 3}) = 6 /\ ProductSet({}) = 1
ASSUME MapThenSumSet(LAMBDA x : x * x, 1..3) = 14
ASSUME FlattenSet({{1, 2}, {2, 3}}) = 1..3
ASSUME SymDiff({1, 2}, {2, 3}) = {1, 3}
ASSUME Quantify(1..9, LAMBDA x : x % 2 = 0) = 4
ASSUME kSubset(2, 1..3) = {{1, 2}, {1, 3}, {2, 3}} /\ kSubset(0, {1}) = {{}} /\ kSubset(3, {1}) = {}
ASSUME Max({3, 9, 4}) = 9 /\ Min({3, 9, 4}) = 3
ASSUME Choices({{1, 2}, {3}}) = {{1, 3}, {2, 3}}
ASSUME ChooseUnique({1, 2, 3}, LAMBDA x : x > 2) = 3
Init == S \in kSubset(2, 1..4)
Next == S # {} /\ S' = SymDiff(S, {Max(S), (Max(S) % 4) + 1})
Fine == SumSet(S) <= 10
=============================================================================
