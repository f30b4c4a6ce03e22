------------------------------- MODULE QueueInProperty -------------------------------
\* A specification of a trace asks in a property whether a state waits: none does
\* where the trace cannot be followed.
EXTENDS Naturals, Sequences, TLC
CONSTANT Log
Good == <<1, 2, 3, 5, 6>>
VARIABLES l, n
Init == l = 1 /\ n = 0
Next == l <= Len(Log) /\ l' = l + 1 /\ n' \in {n + 1, n + 2} /\ n' = Log[l]
Spec == Init /\ [][Next]_<<l, n>>
Followed == [](l <= Len(Log) => [](TLCGet("queue") = 1 \/ l > Len(Log)))
Bad == <<1, 2, 5, 6>>
================================================================================
