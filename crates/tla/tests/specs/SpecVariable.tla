---- MODULE SpecVariable ----
\* A variable alone is no conjunct of a specification.
VARIABLE on
Spec == on /\ [][on' = ~on]_on
====
