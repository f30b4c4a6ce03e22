---- MODULE UndirectedGraphs ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets

LOCAL IsGraph(G) == G = [node |-> G.node, edge |-> G.edge]
IsUndirectedGraph(G) == IsGraph(G) /\ \A e \in G.edge : \E a, b \in G.node : e = {a, b}
IsLoopFreeUndirectedGraph(G) == IsGraph(G) /\ \A e \in G.edge : \E a, b \in G.node : a # b /\ e = {a, b}
UndirectedSubgraph(G) == {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : IsUndirectedGraph(H)}
Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : {p[i], p[i + 1]} \in G.edge}
LOCAL Neighbours(G, n) == {m \in G.node : {n, m} \in G.edge}
SimplePath(G) ==
    LET RECURSIVE Longer(_)
        Longer(P) ==
            LET Q == UNION {{Append(p, m) : m \in {n \in Neighbours(G, Last(p)) : ~Contains(p, n)}} : p \in P}
            IN  IF P = {} THEN {} ELSE P \cup Longer(Q)
    IN  Longer({<<n>> : n \in G.node})
LOCAL Reach(G, from) ==
    LET RECURSIVE Grow(_)
        Grow(S) == LET T == S \cup UNION {Neighbours(G, n) : n \in S} IN IF T = S THEN S ELSE Grow(T)
    IN  Grow({from})
AreConnectedIn(m, n, G) == m \in G.node /\ n \in Reach(G, m)
ConnectedComponents(G) == {Reach(G, n) : n \in G.node}
IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
UndirectedGraphs(S) == [node : {S}, edge : SUBSET {{s, t} : s, t \in S}]
====
