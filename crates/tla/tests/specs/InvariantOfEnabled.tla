---- MODULE InvariantOfEnabled ----
EXTENDS Naturals
\* An invariant may be given an action that it only asks of whether it is enabled.
VARIABLE n
Init == n = 0
Next == n' = 1
Can(A) == ENABLED A
Unused(A, m) == m < 2
Inv == Can(Next) /\ Unused(Next, n)
====
