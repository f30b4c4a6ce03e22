---- MODULE H ----
EXTENDS Randomization, Integers
VARIABLE x

Init == x = RandomSetOfSubsets(1000000, 500, 1..1000)
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
