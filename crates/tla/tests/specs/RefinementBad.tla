--------------------------- MODULE RefinementBad ---------------------------
\* Now and then two hours pass at once: the step is not one of the abstract clock.
EXTENDS Naturals
VARIABLE hour
Init == hour = 0
Next == hour' = IF hour = 2 THEN 0 ELSE (hour + 1) % 4
Spec == Init /\ [][Next]_hour
Coarse == INSTANCE RefinementAbstract WITH h <- hour, Top <- 4
Safe == Coarse!Init /\ [][Coarse!Next]_hour
=============================================================================
