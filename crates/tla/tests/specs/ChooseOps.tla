----------------------------- MODULE ChooseOps -----------------------------
\* CHOOSE where only one value fits, or where the choice does not show in the result.
EXTENDS Naturals, FiniteSets

VARIABLES left, sum

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y

ASSUME Max({3, 1, 2}) = 3 /\ Min(4..9) = 4
ASSUME (CHOOSE <<a, b>> \in (1..3) \X (1..3) : a + b = 6) = <<3, 3>>
ASSUME (CHOOSE x \in {5} : TRUE) = 5
ASSUME (CHOOSE S \in SUBSET (1..3) : Cardinality(S) = 3) = 1..3
ASSUME LET x == CHOOSE x \in 1..9 : x * x = 49 IN x = 7
\* the same choice every time
ASSUME (CHOOSE x \in 1..9 : x > 2) = (CHOOSE x \in 1..9 : x > 2)

RECURSIVE Total(_)
Total(S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN x + Total(S \ {x})

ASSUME Total(1..10) = 55

Init == left \in SUBSET (1..4) /\ sum = 0
Next == /\ left # {}
        /\ sum' = sum + Max(left)
        /\ left' = left \ {Max(left)}

Bound == sum + Total(left) <= 10
=============================================================================
