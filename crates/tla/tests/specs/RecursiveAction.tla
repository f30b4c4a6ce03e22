---- MODULE RecursiveAction ----
EXTENDS Integers, Sequences
VARIABLES x, y, z
Init == x = 0 /\ y = <<>> /\ z = 0
RECURSIVE Each(_, _)
Each(n, m) == IF n = 0 THEN y' = y /\ x' = (x + m) % 5
              ELSE \/ Each(n - 1, m + n)
                   \/ \E k \in 1..2 : k > n /\ Each(n - 1, m * k)
Next == Each(2, 1) /\ z' \in {0, x'}
====
