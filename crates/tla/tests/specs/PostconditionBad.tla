-------------------------- MODULE PostconditionBad --------------------------
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 10
NotMany == TLCGet("distinct") < 10
=============================================================================
