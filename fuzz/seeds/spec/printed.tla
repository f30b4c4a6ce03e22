---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x

Init == PrintT("[2J‮") /\ x = 0
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
