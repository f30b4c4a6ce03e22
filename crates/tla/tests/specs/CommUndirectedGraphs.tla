------------------------ MODULE CommUndirectedGraphs ------------------------
\* Operators of the community module UndirectedGraphs: edges are sets of two nodes.
EXTENDS UndirectedGraphs, Naturals, FiniteSets
VARIABLE E
N == 1..4
G == [node |-> N, edge |-> {{1, 2}, {3, 4}}]
ASSUME IsUndirectedGraph(G)
ASSUME ConnectedComponents(G) = {{1, 2}, {3, 4}}
ASSUME AreConnectedIn(1, 2, G) /\ ~AreConnectedIn(1, 3, G)
ASSUME ~IsStronglyConnected(G)
ASSUME IsStronglyConnected([node |-> 1..2, edge |-> {{1, 2}}])
Init == E = {}
Next == \E a, b \in N : a < b /\ {a, b} \notin E /\ ~AreConnectedIn(a, b, [node |-> N, edge |-> E]) /\ E' = E \cup {{a, b}}
\* every forest over four nodes
Fine == Cardinality(E) + Cardinality(ConnectedComponents([node |-> N, edge |-> E])) = 4
=============================================================================
