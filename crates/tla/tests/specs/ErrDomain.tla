----------------------------- MODULE ErrDomain -----------------------------
\* A function applied outside its domain.
EXTENDS Naturals
VARIABLE i
f == [k \in 1..3 |-> k * k]
Init == i = 1
Next == i' = i + 1 /\ f[i] > 0
=============================================================================
