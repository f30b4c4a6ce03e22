--------------------------- MODULE ErrCompareSets ---------------------------
\* A set of numbers and of strings cannot be put in order.
EXTENDS Naturals, FiniteSets
VARIABLE s
Init == s = {1}
Next == s' = s \cup {"one"} /\ Cardinality(s') > 1
=============================================================================
