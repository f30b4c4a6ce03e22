------------------------- MODULE RefinementAbstract -------------------------
EXTENDS Naturals
CONSTANT Top
VARIABLE h
Init == h = 0
Next == h' = (h + 1) % Top
Spec == Init /\ [][Next]_h /\ WF_h(Next)
=============================================================================
