----------------------------- MODULE LiveStrong -----------------------------
\* With strong fairness of the same action it holds.
EXTENDS LiveWeakNotStrong
StrongSpec == Init /\ [][Next]_vars /\ WF_vars(Swing) /\ SF_vars(Enter)
=============================================================================
