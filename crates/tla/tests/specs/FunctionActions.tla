-------------------------- MODULE FunctionActions ---------------------------
\* Functions whose values are actions, and recursive operators that assign variables in the initial predicate.
EXTENDS Naturals
VARIABLES x, y

\* The variable is a parameter.
RECURSIVE OneOf(_, _)
OneOf(v, n) == IF n = 0 THEN v = 0 ELSE v = n \/ OneOf(v, n - 1)

RECURSIVE Both(_)
Both(n) == IF n = 0 THEN OneOf(x, 2) /\ OneOf(y, 0) ELSE Both(n - 1)

Init == Both(2)

Set[n \in 0..3] == x' = n /\ UNCHANGED y
Move[n \in 1..2, m \in 0..1] == \/ n = m /\ y' = m /\ UNCHANGED x
                                \/ n # m /\ x' = m /\ y' = 1

Next == \/ \E n \in 0..3 : n > x /\ Set[n]
        \/ \E n \in 1..2, m \in 0..1 : Move[n, m]

Fine == x \in 0..3 /\ y \in 0..1
=============================================================================
