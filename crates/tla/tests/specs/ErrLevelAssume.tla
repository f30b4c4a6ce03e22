---- MODULE ErrLevelAssume ----
EXTENDS Naturals
\* An assumption is about constants.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
ASSUME counter = 0
====
