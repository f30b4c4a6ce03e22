---- MODULE SpecNoNextInvariant ----
EXTENDS Naturals
\* An invariant is about all reachable states, which need a next-state action.
VARIABLE n
Init == n = 1
Positive == n > 0
====
