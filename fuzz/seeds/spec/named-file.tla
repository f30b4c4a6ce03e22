---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x
Never == "../../../dev/zero"
Init == x = 0
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
