----------------------------- MODULE ManyCopies -----------------------------
\* Eighty million values, but of one and the same set: what is made often takes room once.
EXTENDS Naturals, FiniteSets
VARIABLE x
Even == {2 * i : i \in 1..2000}
Init == x = Cardinality({IF i = 7 THEN {} ELSE Even : i \in 1..40000})
Next == x' = x
Two == x = 2
=============================================================================
