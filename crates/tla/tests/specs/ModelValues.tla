---------------------------- MODULE ModelValues ----------------------------
\* Model values: equal to themselves alone, in sets, as function arguments, beside numbers and strings.
EXTENDS Naturals, FiniteSets
CONSTANTS Node, Nil, Boss
VARIABLES leader, seen
ASSUME Nil \notin Node /\ Boss \in Node
ASSUME Nil # 1 /\ Nil # "Nil" /\ Nil = Nil /\ Nil # {} /\ Nil # <<>>
ASSUME Cardinality(Node \cup {Nil, 1, 2}) = 6
ASSUME {Nil, 1} \cap {1} = {1} /\ 1 \in {1, Nil}
ASSUME [n \in Node |-> IF n = Boss THEN 1 ELSE 0][Boss] = 1
Init == leader = Nil /\ seen = [n \in Node |-> Nil]
Elect(n) == leader = Nil /\ leader' = n /\ UNCHANGED seen
Learn(n) == leader # Nil /\ seen' = [seen EXCEPT ![n] = leader] /\ UNCHANGED leader
Leave == leader # Nil /\ (\A n \in Node : seen[n] # Nil) /\ leader' = Nil /\ UNCHANGED seen
Next == Leave \/ \E n \in Node : (n # Boss /\ Elect(n)) \/ Learn(n)
Fine == leader \in Node \cup {Nil}
=============================================================================
