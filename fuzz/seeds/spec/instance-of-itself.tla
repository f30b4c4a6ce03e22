---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x
I == INSTANCE H
Init == x = 0
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
