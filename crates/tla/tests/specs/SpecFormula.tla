---------------------------- MODULE SpecFormula ----------------------------
\* SPECIFICATION with a box and with fairness; Init and Next under other names.
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Begin == x = 0 /\ y \in {0, 1}
Move  == \/ x < 3 /\ x' = x + 1 /\ y' = y
         \/ x = 3 /\ x' = 0 /\ y' = 1 - y
System == Begin /\ [][Move]_vars /\ WF_vars(Move)
Fine == x \in 0..3
=============================================================================
