---- MODULE FiniteSetsExt ----
EXTENDS Integers, FiniteSets, Folds, Functions

ReduceSet(op(_, _), S, base) == FoldSet(op, base, S)
Quantify(S, P(_)) == Cardinality({s \in S : P(s)})
MapThenSumSet(op(_), S) == FoldSet(LAMBDA x, y : op(x) + y, 0, S)
FlattenSet(SS) == UNION SS
SymDiff(A, B) == (A \ B) \cup (B \ A)
Choices(Sets) == {{f[S] : S \in Sets} : f \in {g \in [Sets -> UNION Sets] : \A S \in Sets : g[S] \in S}}
ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
====
