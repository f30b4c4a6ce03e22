---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x
CONSTANT N
Init == x = 0
Next == UNCHANGED x
====

#### cfg
CONSTANT N = 99999999999999999999999
INIT Init
NEXT Next
