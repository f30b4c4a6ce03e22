----------------------------- MODULE ViewState -----------------------------
\* VIEW: states are told apart by an expression; a counter that goes on for ever does not count.
EXTENDS Naturals
VARIABLES x, steps
Init == x = 0 /\ steps = 0
Next == /\ x' \in {(x + 1) % 7, (x + 3) % 7}
        /\ steps' = steps + 1
Look == x
Fine == x \in 0..6
=============================================================================
