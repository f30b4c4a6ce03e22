--------------------------- MODULE ConstraintLevel ---------------------------
\* A constraint by depth: TLCGet("level"). One worker.
EXTENDS Naturals, TLC
VARIABLE x
Init == x = 1
Next == x' \in {x + 1, 2 * x}
Shallow == TLCGet("level") < 5
=============================================================================
