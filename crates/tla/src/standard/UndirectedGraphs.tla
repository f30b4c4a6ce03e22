---- MODULE UndirectedGraphs ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

IsUndirectedGraph(G) ==
    /\ G = [node |-> G.node, edge |-> G.edge]
    /\ \A e \in G.edge : e \subseteq G.node /\ Cardinality(e) \in {1, 2}
IsLoopFreeUndirectedGraph(G) ==
    /\ G = [node |-> G.node, edge |-> G.edge]
    /\ \A e \in G.edge : e \subseteq G.node /\ Cardinality(e) = 2
UndirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}
Path(G) ==
    {p \in UNION {[1..n -> G.node] : n \in 1..(Cardinality(G.node) + 1)} :
        \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
LOCAL Reach(G, from) ==
    LET RECURSIVE Grow(_)
        Grow(S) == LET T == S \cup {m \in G.node : \E n \in S : {n, m} \in G.edge} IN IF T = S THEN S ELSE Grow(T)
    IN  Grow({from})
SimplePath(G) == {p \in Path(G) : \A i, j \in DOMAIN p : p[i] = p[j] => i = j}
AreConnectedIn(m, n, G) == n \in Reach(G, m)
ConnectedComponents(G) == {Reach(G, n) : n \in G.node}
IsStronglyConnected(G) == Cardinality(ConnectedComponents(G)) = 1
====
