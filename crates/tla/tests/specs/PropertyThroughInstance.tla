---- MODULE PropertyThroughInstance ----
EXTENDS Naturals
\* TLC does not look into an operator that an instance applies to arguments: a violation is one of a temporal
\* property, and not of an invariant.
VARIABLE n
I == INSTANCE PropertyThroughInstanceInner
Spec == n = 0 /\ [][n' = (n + 1) % 4]_n
Small(m) == m < 3
Prop == I!Everywhere(Small, n)
====
