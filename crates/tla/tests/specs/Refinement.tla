----------------------------- MODULE Refinement -----------------------------
\* A specification implements another one: hours and minutes implement hours, by an instance.
EXTENDS Naturals
VARIABLES hour, minute
vars == <<hour, minute>>
Init == hour = 0 /\ minute = 0
Next == /\ minute' = (minute + 20) % 60
        /\ hour' = IF minute' = 0 THEN (hour + 1) % 4 ELSE hour
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Coarse == INSTANCE RefinementAbstract WITH h <- hour, Top <- 4
Implements == Coarse!Spec
=============================================================================
