------------------------------ MODULE BagsOps ------------------------------
\* A multiset of tokens; two equal tokens may be melted into one of the next kind.
EXTENDS Bags, Naturals, TLC

VARIABLE bag

ASSUME EmptyBag = [x \in {} |-> 1]
ASSUME IsABag([a |-> 2, b |-> 1]) /\ ~IsABag([a |-> 0])
ASSUME BagToSet(("p" :> 2) @@ ("q" :> 1)) = {"p", "q"}
ASSUME SetToBag({3, 4}) = [x \in {3, 4} |-> 1]
ASSUME BagIn(3, SetToBag({3})) /\ ~BagIn(5, SetToBag({3}))
ASSUME BagCardinality(SetToBag({1, 2}) (+) SetToBag({2, 3})) = 4
ASSUME CopiesIn(2, SetToBag({1, 2}) (+) SetToBag({2, 3})) = 2 /\ CopiesIn(9, EmptyBag) = 0
ASSUME SetToBag({1, 2}) (-) SetToBag({2, 3}) = SetToBag({1})
ASSUME SetToBag({1}) \sqsubseteq SetToBag({1, 2}) /\ ~((1 :> 2) \sqsubseteq SetToBag({1, 2}))
ASSUME BagUnion({SetToBag({1}), SetToBag({1, 2})}) = (1 :> 2) @@ (2 :> 1)
ASSUME BagOfAll(LAMBDA x : x % 2, SetToBag({1, 2, 3})) = (0 :> 1) @@ (1 :> 2)
ASSUME SubBag(1 :> 2) = {EmptyBag, 1 :> 1, 1 :> 2}

Init == bag = EmptyBag
Add  == BagCardinality(bag) < 4 /\ bag' = bag (+) SetToBag({0})
Melt == \E x \in BagToSet(bag) :
           /\ CopiesIn(x, bag) >= 2
           /\ bag' = (bag (-) (x :> 2)) (+) (x + 1 :> 1)
Lose == \E x \in BagToSet(bag) : bag' = bag (-) SetToBag({x})
Next == Add \/ Melt \/ Lose

Fine == IsABag(bag) /\ BagCardinality(bag) \in 0..4
=============================================================================
