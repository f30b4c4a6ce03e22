---------------------------- MODULE Postcondition ----------------------------
\* POSTCONDITION: evaluated once, when all states have been found.
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 10
AllFound == TLCGet("distinct") = 10
=============================================================================
