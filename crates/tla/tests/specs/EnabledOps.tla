----------------------------- MODULE EnabledOps -----------------------------
\* ENABLED in guards and in invariants, with arguments, under quantifiers and of a disjunction.
EXTENDS Naturals

VARIABLES x, y

Up     == x < 3 /\ x' = x + 1 /\ y' = y
Down   == x > 0 /\ x' = x - 1 /\ y' = y
Jump(n) == x + n = 3 /\ y < 2 /\ x' = 0 /\ y' = y + 1
Idle   == ~ENABLED Up /\ ~ENABLED (\E n \in 0..3 : Jump(n)) /\ UNCHANGED <<x, y>>

Init == x = 0 /\ y = 0
Next == Up \/ (ENABLED Up /\ Down) \/ (\E n \in 0..1 : Jump(n)) \/ Idle

Meaning == /\ ENABLED Up <=> x < 3
           /\ ENABLED Down <=> x > 0
           /\ \A n \in 0..3 : ENABLED Jump(n) <=> (x = 3 - n /\ y < 2)
           /\ ENABLED (Up \/ Down)
           /\ ENABLED (x' = x + 1)
           /\ ~ENABLED (x' = 5 /\ x' = 6)
           /\ ENABLED Next
=============================================================================
