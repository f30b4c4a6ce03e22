---------------------------- MODULE CommRelation ----------------------------
\* Operators of the community module Relation: a relation over S is R[a, b], a function to BOOLEAN.
EXTENDS Relation, Naturals
VARIABLE R
S == 1..3
Of(E) == [x, y \in S |-> <<x, y>> \in E]
ASSUME IsReflexive([x, y \in S |-> x <= y], S) /\ IsIrreflexive([x, y \in S |-> x < y], S)
ASSUME IsSymmetric([x, y \in S |-> x # y], S) /\ IsAsymmetric([x, y \in S |-> x < y], S)
ASSUME IsTransitive([x, y \in S |-> x < y], S) /\ ~IsTransitive(Of({<<1, 2>>, <<2, 3>>}), S)
ASSUME TransitiveClosure(Of({<<1, 2>>, <<2, 3>>}), S) = Of({<<1, 2>>, <<2, 3>>, <<1, 3>>})
ASSUME ReflexiveTransitiveClosure(Of({<<1, 2>>}), S) = Of({<<1, 2>>, <<1, 1>>, <<2, 2>>, <<3, 3>>})
ASSUME IsConnected(Of({<<1, 2>>, <<2, 3>>, <<3, 1>>}), S) /\ ~IsConnected(Of({<<1, 2>>, <<2, 3>>}), S)
Init == R = Of({<<1, 2>>, <<2, 3>>, <<3, 1>>})
Next == R' = TransitiveClosure(R, S)
=============================================================================
