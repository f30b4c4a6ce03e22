--------------------------- MODULE FiniteSetsOps ---------------------------
EXTENDS FiniteSets, Naturals

VARIABLE held

ASSUME Cardinality({}) = 0 /\ Cardinality({1, 1, 2}) = 2
ASSUME Cardinality(SUBSET (1..5)) = 32
ASSUME Cardinality([1..3 -> {"a", "b"}]) = 8
ASSUME Cardinality((1..3) \X (1..4)) = 12
ASSUME Cardinality({<<x, y>> \in (1..3) \X (1..3) : x < y}) = 3
ASSUME IsFiniteSet({}) /\ IsFiniteSet(1..1000) /\ IsFiniteSet(SUBSET (1..3))

Init == held = {}
Take(x) == x \notin held /\ Cardinality(held) < 3 /\ held' = held \union {x}
Drop(x) == x \in held /\ held' = held \ {x}
Next == \E x \in 1..6 : Take(x) \/ Drop(x)

AtMostThree == Cardinality(held) \leq 3 /\ IsFiniteSet(held)
=============================================================================
