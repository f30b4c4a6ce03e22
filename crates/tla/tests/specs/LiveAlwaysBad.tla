--------------------------- MODULE LiveAlwaysBad ---------------------------
\* <>[] is violated by a cycle that always comes back.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % 4
Spec == Init /\ [][Next]_x /\ WF_x(Next)
Settles == <>[](x # 2)
=============================================================================
