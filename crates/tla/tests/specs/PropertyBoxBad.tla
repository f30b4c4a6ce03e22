--------------------------- MODULE PropertyBoxBad ---------------------------
\* A PROPERTY that is an invariant in a box.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 2) % 7
Spec == Init /\ [][Next]_x
NeverFive == [](x # 5)
=============================================================================
