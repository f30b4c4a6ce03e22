--------------------------- MODULE TlcRegisters ---------------------------
\* TLCSet and TLCGet: registers that stand beside the state. One worker.
EXTENDS TLC, Naturals

VARIABLE x

ASSUME TLCSet(1, 0) /\ TLCGet(1) = 0
ASSUME TLCSet(2, {"p"}) /\ TLCGet(2) = {"p"}

Init == x = 0 /\ TLCSet(1, 0)
Next == /\ TLCSet(1, TLCGet(1) + 1)      \* counts the attempts at a step
        /\ x < 5
        /\ x' = x + 1

\* Six states have been expanded at the end at most.
Counted == TLCGet(1) <= 6
Levels  == TLCGet("level") <= 6 /\ TLCGet("distinct") <= 6
=============================================================================
