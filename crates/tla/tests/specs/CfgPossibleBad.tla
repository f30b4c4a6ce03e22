---- MODULE CfgPossibleBad ----
EXTENDS Naturals
\* What is to be possible is never true.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
One == counter = 1
Five == counter = 5
====
