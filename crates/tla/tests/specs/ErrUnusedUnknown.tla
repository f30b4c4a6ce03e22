---- MODULE ErrUnusedUnknown ----
EXTENDS Naturals
\* An unknown name in a definition that nobody uses.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Unused == Missing(1)
====
