---------------------------- MODULE LongSequence ----------------------------
\* A sequence that grows reaches a limit, and not that of the machine.
EXTENDS Naturals, Sequences
VARIABLE x
Init == x = [n \in 1..16777216 |-> 0] \o <<1>>
Next == x' = x
=============================================================================
