----------------------------- MODULE ErrSubSeq -----------------------------
\* SubSeq beyond the end.
EXTENDS Naturals, Sequences
VARIABLE q
Init == q = <<1, 2>>
Next == q' = SubSeq(q, 2, 3)
=============================================================================
