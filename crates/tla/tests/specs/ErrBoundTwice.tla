---- MODULE ErrBoundTwice ----
EXTENDS Naturals
\* A bound name that is known already, in a definition that nobody uses.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Unused == \A counter \in {1} : TRUE
====
