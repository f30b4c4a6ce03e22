---- MODULE Graphs ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

IsDirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET (G.node \X G.node)] : IsDirectedGraph(H) /\ H.edge \subseteq G.edge}
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
Path(G) ==
    {p \in UNION {[1..n -> G.node] : n \in 1..(Cardinality(G.node) + 1)} :
        \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
LOCAL Reach(G, from) ==
    LET RECURSIVE Grow(_)
        Grow(S) == LET T == S \cup {m \in G.node : \E n \in S : <<n, m>> \in G.edge} IN IF T = S THEN S ELSE Grow(T)
    IN  Grow({from})
AreConnectedIn(m, n, G) == n \in Reach(G, m)
IsStronglyConnected(G) == \A m, n \in G.node : m # n => AreConnectedIn(m, n, G)
IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
    /\ \A n \in G.node : AreConnectedIn(n, r, G)
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
EmptyGraph == [node |-> {}, edge |-> {}]
Graphs(nodes) == [node : {nodes}, edge : SUBSET (nodes \X nodes)]
====
