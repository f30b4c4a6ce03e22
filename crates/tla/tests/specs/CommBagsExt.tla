---------------------------- MODULE CommBagsExt ----------------------------
\* Operators of the community module BagsExt.
EXTENDS BagsExt, Bags, Naturals, TLC
VARIABLE b
ASSUME BagAdd(EmptyBag, 7) = (7 :> 1) /\ BagAdd(7 :> 1, 7) = (7 :> 2)
ASSUME BagRemove(7 :> 2, 7) = (7 :> 1) /\ BagRemove(7 :> 1, 7) = EmptyBag /\ BagRemove(EmptyBag, 7) = EmptyBag
ASSUME BagRemoveAll((7 :> 2) @@ (8 :> 1), 7) = (8 :> 1)
ASSUME SumBag((2 :> 3) @@ (5 :> 1)) = 11 /\ ProductBag((2 :> 3) @@ (5 :> 1)) = 40
ASSUME FoldBag(LAMBDA x, y : x + y, 0, (2 :> 3)) = 6
Init == b = EmptyBag
Next == \/ \E x \in 1..2 : BagCardinality(b) < 3 /\ b' = BagAdd(b, x)
        \/ \E x \in BagToSet(b) : b' = BagRemove(b, x)
=============================================================================
