--------------------------- MODULE ActionProperty ---------------------------
\* Properties of single steps, that hold.
EXTENDS Naturals
VARIABLES clock, alarm
vars == <<clock, alarm>>
Init == clock = 0 /\ alarm = FALSE
Tick == clock' = (clock + 1) % 6 /\ alarm' = (alarm \/ clock' = 3)
Stop == alarm /\ alarm' = FALSE /\ UNCHANGED clock
Next == Tick \/ Stop
Spec == Init /\ [][Next]_vars
Forward == [][clock' = clock + 1 \/ clock' = 0]_clock
RingsAtThree == [][alarm' /\ ~alarm => clock' = 3]_vars
Starts == clock = 0 /\ ~alarm
Typed == [](clock \in 0..5)
=============================================================================
