----------------------------- MODULE Randomness -----------------------------
\* Random choices never show in the states: only facts that hold for every outcome.
EXTENDS Randomization, Naturals, FiniteSets, TLC
VARIABLE x
ASSUME RandomSubset(3, 1..20) \subseteq 1..20
ASSUME Cardinality(RandomSubset(3, 1..20)) = 3
ASSUME RandomSubset(0, 1..5) = {} /\ RandomSubset(5, 1..5) = 1..5
ASSUME \A S \in RandomSetOfSubsets(4, 2, 1..10) : S \subseteq 1..10
ASSUME RandomElement(1..9) \in 1..9 /\ RandomElement({7}) = 7
Init == x = Cardinality(RandomSubset(2, 1..6))
Next == x' = IF RandomElement(1..3) \in 1..3 THEN (x + 1) % 5 ELSE 99
=============================================================================
