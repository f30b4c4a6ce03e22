---- MODULE BagsExt ----
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
\* As the community's modules have it, the copies of an element are folded from the base, and so are the results.
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
    LET RECURSIVE Copies(_, _)
        Copies(x, n) == IF n = 0 THEN base ELSE op(Copies(x, n - 1), f(x))
    IN  MapThenFoldSet(op, base, LAMBDA x : Copies(x, B[x]), LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN B)
FoldBag(op(_, _), base, B) ==
    LET RECURSIVE Times(_, _, _)
        Times(n, e, all) == IF n = 0 THEN all ELSE Times(n - 1, e, op(all, e))
    IN  MapThenFoldSet(LAMBDA e, all : Times(B[e], e, all), base, LAMBDA e : e, LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN B)
SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
====
