---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x

Init == x = [n \in 1..4000 |-> [m \in 1..4000 |-> n * m]]
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
