--------------------------- MODULE LiveLeadsToBad ---------------------------
\* A request may starve: the server is free to serve the other one for ever.
EXTENDS Naturals
VARIABLES want, got
vars == <<want, got>>
Id == {"a", "b"}
Init == want = {} /\ got = "none"
Ask(i) == i \notin want /\ want' = want \cup {i} /\ UNCHANGED got
Serve(i) == i \in want /\ want' = want \ {i} /\ got' = i
Next == \E i \in Id : Ask(i) \/ Serve(i)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)
Served == \A i \in Id : (i \in want) ~> (i \notin want)
=============================================================================
