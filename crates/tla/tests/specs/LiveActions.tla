---------------------------- MODULE LiveActions ----------------------------
\* Temporal formulas about steps: []<><<A>>_v, <>[][A]_v, and ENABLED inside.
EXTENDS Naturals
VARIABLES x, warm
vars == <<x, warm>>
Init == x = 0 /\ warm = 0
WarmUp == warm < 2 /\ warm' = warm + 1 /\ UNCHANGED x
Turn == x' = (x + 1) % 3 /\ UNCHANGED warm
Next == WarmUp \/ Turn
Spec == Init /\ [][Next]_vars /\ WF_vars(WarmUp) /\ WF_vars(Turn)
Turns == []<><<Turn>>_vars
OnlyTurns == <>[][Turn]_vars
CannotWarm == <>[](~ENABLED WarmUp)
Zero == []<><<x' = 0>>_x
=============================================================================
