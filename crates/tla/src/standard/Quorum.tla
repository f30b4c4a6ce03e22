---- MODULE Quorum ----
QuorumSystem(S) ==
    {system \in SUBSET SUBSET S :
        /\ system # {}
        /\ \A P, Q \in system : P \cap Q # {}
        /\ \A Q \in system : \A larger \in SUBSET S : Q \subseteq larger => larger \in system}
====
