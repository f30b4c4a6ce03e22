-------------------------- MODULE DeadlockAllowed --------------------------
\* A behaviour that ends; the configuration says that this is fine.
EXTENDS Naturals
VARIABLE left
Init == left \in 0..4
Next == \E k \in 1..2 : left >= k /\ left' = left - k
Fine == left \in 0..4
=============================================================================
