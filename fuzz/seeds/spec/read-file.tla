---- MODULE H ----
EXTENDS Json, Integers
VARIABLE x

Init == x = JsonDeserialize("/etc/passwd")
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
