------------------------------ MODULE TlcExit ------------------------------
\* A specification without an end ends itself.
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = x + 1 /\ TLCSet("exit", x = 9)
=============================================================================
