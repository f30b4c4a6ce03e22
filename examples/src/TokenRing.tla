---- MODULE TokenRing ----
\* A token goes around a ring. It carries the number of its turn; a node takes a token of a later turn than it has seen.
EXTENDS Naturals
CONSTANTS Size, MaxTurn
VARIABLES holds, seen, net

Node == 1..Size
After(i) == IF i = Size THEN 1 ELSE i + 1

Init ==
    /\ holds = [i \in Node |-> i = 1]
    /\ seen = [i \in Node |-> IF i = 1 THEN 1 ELSE 0]
    /\ net = {}

Pass(i) ==
    /\ holds[i]
    /\ holds' = [holds EXCEPT ![i] = FALSE]
    /\ net' = net \cup {[to |-> After(i), turn |-> seen[i] + 1]}
    /\ UNCHANGED seen

Take(i, turn) ==
    /\ [to |-> i, turn |-> turn] \in net
    /\ turn > seen[i]
    /\ holds' = [holds EXCEPT ![i] = TRUE]
    /\ seen' = [seen EXCEPT ![i] = turn]
    /\ net' = net \ {[to |-> i, turn |-> turn]}

Next ==
    \/ \E i \in Node : Pass(i)
    \/ \E m \in net : Take(m.to, m.turn)

Bounded == \A i \in Node : seen[i] <= MaxTurn
====
