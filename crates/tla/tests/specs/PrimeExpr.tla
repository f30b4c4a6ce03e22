----------------------------- MODULE PrimeExpr -----------------------------
\* Primes on expressions and on defined operators: tests, once the variables have their new values.
EXTENDS Naturals
VARIABLES a, b, f
Sum == a + b
Even == Sum % 2 = 0
At(i) == f[i]
Init == a = 0 /\ b = 0 /\ f = <<0, 0>>
Next == /\ a' \in 0..2
        /\ b' \in 0..2
        /\ (a + b)' <= Sum + 1
        /\ Sum' >= Sum - 2
        /\ f' = [f EXCEPT ![1] = Sum', ![2] = f[1]]
        /\ f[1]' = a' + b'
        /\ At(2)' = At(1)
        /\ (Even => Even' \/ a' = a)
Typed == At(1) = Sum /\ f \in [1..2 -> 0..4]
=============================================================================
