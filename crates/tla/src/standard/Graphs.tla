---- MODULE Graphs ----
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

IsDirectedGraph(G) == G = [node |-> G.node, edge |-> G.edge] /\ G.edge \subseteq (G.node \X G.node)
DirectedSubgraph(G) ==
    {H \in [node : SUBSET G.node, edge : SUBSET G.edge] : H.edge \subseteq (H.node \X H.node)}
Transpose(G) == [node |-> G.node, edge |-> {<<e[2], e[1]>> : e \in G.edge}]
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge
UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}

Path(G) == {p \in Seq(G.node) : p # <<>> /\ \A i \in 1..(Len(p) - 1) : <<p[i], p[i + 1]>> \in G.edge}
SimplePath(G) ==
    LET RECURSIVE Longer(_)
        Longer(P) ==
            LET Q == UNION {{Append(p, m) : m \in {n \in Successors(G, Last(p)) : ~Contains(p, n)}} : p \in P}
            IN  IF P = {} THEN {} ELSE P \cup Longer(Q)
    IN  Longer({<<n>> : n \in G.node})
Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}
AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}
LOCAL Closure(G, S) ==
    LET RECURSIVE Grow(_)
        Grow(T) == LET U == T \cup AllSuccessors(G, T) IN IF U = T THEN T ELSE Grow(U)
    IN  Grow(S)
AreConnectedIn(m, n, G) == m \in G.node /\ n \in Closure(G, {m})
IsStronglyConnected(G) == \A m \in G.node : G.node \subseteq Closure(G, {m})
ConnectionsIn(G) == LET reach == [m \in G.node |-> Closure(G, {m})] IN [m, n \in G.node |-> n \in reach[m]]
IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ r \in G.node
    /\ \A e \in G.edge : e[1] # r /\ \A f \in G.edge : e[1] = f[1] => e = f
    /\ \A n \in G.node : AreConnectedIn(n, r, G)
GraphUnion(G, H) == [node |-> G.node \cup H.node, edge |-> G.edge \cup H.edge]
IsBipartiteWithPartitions(G, U, V) ==
    /\ U \cap V = {}
    /\ G.node \subseteq (U \cup V)
    /\ \A e \in G.edge : e \in (U \X V) \/ e \in (V \X U)
Descendants(G, n) == Closure(G, Successors(G, n))
Ancestors(G, n) == {m \in G.node : n \in Descendants(G, m)}
HasCycle(G) == \E n \in G.node : n \in Descendants(G, n)
IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)
InDegree(G, n) == Cardinality(Predecessors(G, n))
OutDegree(G, n) == Cardinality(Successors(G, n))
Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}
EmptyGraph == [node |-> {}, edge |-> {}]
Graphs(S) == [node : {S}, edge : SUBSET (S \X S)]
====
