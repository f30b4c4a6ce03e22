---------------------------- MODULE ErrHeadEmpty ----------------------------
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<1, 2>>
Next == q' = Tail(q) /\ Head(q) > 0
=============================================================================
