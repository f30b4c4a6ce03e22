---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x
---- MODULE M6 ----
---- MODULE M5 ----
---- MODULE M4 ----
---- MODULE M3 ----
---- MODULE M2 ----
---- MODULE M1 ----
---- MODULE M0 ----
V0 == 0
====
A == INSTANCE M0
B == INSTANCE M0
V1 == A!V0
====
A == INSTANCE M1
B == INSTANCE M1
V2 == A!V1
====
A == INSTANCE M2
B == INSTANCE M2
V3 == A!V2
====
A == INSTANCE M3
B == INSTANCE M3
V4 == A!V3
====
A == INSTANCE M4
B == INSTANCE M4
V5 == A!V4
====
A == INSTANCE M5
B == INSTANCE M5
V6 == A!V5
====
I == INSTANCE M6
Init == x = 0
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
