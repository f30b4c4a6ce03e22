-------------------------- MODULE TypedModelValues --------------------------
\* Typed model values (one letter, underscore): may be compared with those of the same type only.
EXTENDS FiniteSets
CONSTANTS A, B
VARIABLE x
ASSUME Cardinality(A \cup {}) = 2
ASSUME \A a \in A : \A b \in A : a = b \/ a # b
Init == x \in A
Next == x' \in A /\ \A b \in B : x' # b
=============================================================================
