---- MODULE ErrUsedBefore ----
EXTENDS Naturals
\* A definition is known only after it was made.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Unused == Later
Later == 1
====
