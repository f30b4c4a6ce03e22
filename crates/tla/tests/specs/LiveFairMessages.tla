-------------------------- MODULE LiveFairMessages --------------------------
\* Fairness of an action that quantifies over what is in the state.
EXTENDS Naturals, FiniteSets
VARIABLES net, got
vars == <<net, got>>
Init == net = {} /\ got = {}
Send(k) == k \notin net /\ k \notin got /\ net' = net \cup {k} /\ UNCHANGED got
Recv(k) == net' = net \ {k} /\ got' = got \cup {k}
Next == (\E k \in 1..3 : Send(k)) \/ (\E k \in net : Recv(k))
Spec == Init /\ [][Next]_vars /\ WF_vars(\E k \in net : Recv(k))
Arrives == \A k \in 1..3 : (k \in net) ~> (k \in got)
=============================================================================
