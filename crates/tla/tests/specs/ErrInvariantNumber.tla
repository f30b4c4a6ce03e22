---- MODULE ErrInvariantNumber ----
EXTENDS Naturals
\* An invariant that is no boolean.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Weight == counter + 1
====
