---- MODULE Randomization ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

TestRandomSetOfSubsets(k, n, S) == [i \in 1..5 |-> Cardinality(RandomSetOfSubsets(k, n, S))]
====
