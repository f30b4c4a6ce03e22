------------------------- MODULE LiveWeakNotStrong -------------------------
\* Weak fairness is not enough: the door is open again and again but never for good.
EXTENDS Naturals
VARIABLES open, in
vars == <<open, in>>
Init == open = FALSE /\ in = FALSE
Swing == open' = ~open /\ UNCHANGED in
Enter == open /\ ~in /\ in' = TRUE /\ UNCHANGED open
Next == Swing \/ Enter
Spec == Init /\ [][Next]_vars /\ WF_vars(Swing) /\ WF_vars(Enter)
Inside == <>in
=============================================================================
