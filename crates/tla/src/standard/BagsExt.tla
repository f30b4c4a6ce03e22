---- MODULE BagsExt ----
LOCAL INSTANCE Bags
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSetsExt

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]
FoldBag(op(_, _), base, B) ==
    LET RECURSIVE Times(_, _, _)
        Times(n, e, acc) == IF n = 0 THEN acc ELSE Times(n - 1, e, op(e, acc))
    IN  FoldSet(LAMBDA e, acc : Times(B[e], e, acc), base, DOMAIN B)
SumBag(B) == FoldBag(LAMBDA x, y : x + y, 0, B)
ProductBag(B) == FoldBag(LAMBDA x, y : x * y, 1, B)
====
