---- MODULE InvariantOfSteps ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n' = 1
Grows == n' >= n
Inv == Grows
====
