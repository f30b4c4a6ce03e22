---- MODULE TlcTrace ----
EXTENDS Naturals, Sequences, TLC, TLCExt
\* The behaviour so far, in invariants and constraints.
VARIABLE counter
Init == counter \in 0..1
Next == counter' = counter + 2
Small == counter < 7
Inv ==
    /\ Len(Trace) = TLCGet("level")
    /\ \A i \in 1..Len(Trace) : Trace[i].counter = Trace[1].counter + 2 * (i - 1)
    /\ Trace[Len(Trace)].counter = counter
====
