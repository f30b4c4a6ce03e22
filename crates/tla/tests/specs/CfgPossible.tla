---- MODULE CfgPossible ----
EXTENDS Naturals
\* What is to be possible is true in some state, or of some step.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
One == counter = 1
Down == counter' < counter
====
