---- MODULE ErrLevelPrime ----
EXTENDS Naturals
\* A primed expression cannot be primed.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Unused == counter'' = 1
====
