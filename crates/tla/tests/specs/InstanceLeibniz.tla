---- MODULE InstanceLeibniz ----
\* Primes and ENABLED of anything else, and of names that hide a parameter, are allowed.
VARIABLE x
Fits(a) == <<a, x', ENABLED (x' = 1), [a2 \in {1} |-> a2 = a]>>
I == INSTANCE InstanceOperators WITH Op <- Fits
J == INSTANCE InstanceOperators WITH Op <- LAMBDA a : <<a, x>>
Init == x = 0
Next == x' = 0
====
