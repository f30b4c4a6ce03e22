---- MODULE OperatorsOfLanguage ----
\* UNCHANGED and ' as arguments; EXCEPT on functions of infinitely many arguments.
EXTENDS Integers
VARIABLE x
Init == x = 0
Apply(A(_), v) == A(v)
Next == \/ Apply(LAMBDA v : v' = (v + 1) % 3, x)
        \/ x = 1 /\ Apply(UNCHANGED, x)
Step(Op(_)) == Op(x) > 0
Unused == Step(')
f == [n \in Nat |-> n * 2]
g == [f EXCEPT ![3] = 100, ![4] = @ + 1]
ASSUME g[3] = 100 /\ g[4] = 9 /\ g[5] = 10 /\ f[3] = 6 /\ DOMAIN g = Nat
====
