---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x

Init == x = <<1>>
Next == x' = Append(x, x)
====

#### cfg
INIT Init
NEXT Next
