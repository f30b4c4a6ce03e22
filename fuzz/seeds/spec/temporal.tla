---- MODULE H ----
EXTENDS Integers, Sequences, FiniteSets, TLC
VARIABLE x
Live == ([]<>(x = 1) \/ <>[](x = 2)) /\ ((x = 0) ~> (x = 1))
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Init == x = 0
Next == x' = (x + 1) % 3
====

#### cfg
SPECIFICATION Spec
PROPERTY Live
