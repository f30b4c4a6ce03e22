---- MODULE H ----
EXTENDS H, Integers
VARIABLE x

Init == x = 0
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
