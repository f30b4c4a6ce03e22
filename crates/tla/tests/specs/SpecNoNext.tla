---- MODULE SpecNoNext ----
\* A specification of initial states alone has no successors to look for.
VARIABLE n
Spec == n \in {1, 2}
====
