------------------------------ MODULE LevelOf ------------------------------
\* The level of a state, wherever it is asked for: 0 in assumptions and in the initial predicate, that of the state itself in
\* invariants, and that of the first state in steps.
EXTENDS Naturals, TLC
VARIABLE x
ASSUME TLCGet("level") = 0
Init == x = 1 + TLCGet("level")
Next == x < 4 /\ x' = 1 + TLCGet("level")
Own == TLCGet("level") = x
Steps == [][TLCGet("level") = x]_x
Spec == Init /\ [][Next]_x
=============================================================================
