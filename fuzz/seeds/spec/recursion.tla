---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x
RECURSIVE F(_)
F(n) == 1 + F(n + 1)
Init == x = F(0)
Next == UNCHANGED x
====

#### cfg
INIT Init
NEXT Next
