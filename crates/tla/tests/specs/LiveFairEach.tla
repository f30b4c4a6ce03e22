---------------------------- MODULE LiveFairEach ----------------------------
\* Fairness under a quantifier: nobody starves.
EXTENDS LiveLeadsToBad
FairSpec == Init /\ [][Next]_vars /\ \A i \in Id : WF_vars(Serve(i))
=============================================================================
