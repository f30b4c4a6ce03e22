---- MODULE PropertyOfNothing ----
\* A quantifier over no elements, negated, holds of no behaviour.
VARIABLE n
Spec == n = 0 /\ [][n' = 1]_n
Prop == ~(\A m \in {} : <>(n = m))
====
