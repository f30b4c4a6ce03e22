----------------------------- MODULE BooleanOps -----------------------------
EXTENDS Naturals
VARIABLES p, q
ASSUME (TRUE => FALSE) = FALSE /\ (FALSE => FALSE) = TRUE
ASSUME (TRUE <=> TRUE) /\ (FALSE \equiv FALSE) /\ ~(TRUE <=> FALSE)
ASSUME BOOLEAN = {TRUE, FALSE} /\ TRUE \in BOOLEAN
ASSUME ~FALSE /\ \lnot FALSE /\ \neg FALSE /\ (TRUE \lor FALSE) /\ (TRUE \land TRUE)
ASSUME TRUE # FALSE /\ ~(TRUE /= TRUE)
ASSUME (1 < 2) = (3 < 4) /\ [b \in BOOLEAN |-> ~b][TRUE] = FALSE
ASSUME FALSE => 1 \div 0 = 3
Init == p \in BOOLEAN /\ q = (p => FALSE)
Next == \/ p' = (p <=> q) /\ q' = ~p
        \/ p' \in BOOLEAN /\ q' = (p' /\ p)
Fine == p \in BOOLEAN /\ q \in BOOLEAN
=============================================================================
