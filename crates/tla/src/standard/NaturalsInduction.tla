---- MODULE NaturalsInduction ----
EXTENDS Integers
NatInductiveDefHypothesis(f, f0, Def(_, _)) == f = CHOOSE g : g = [i \in Nat |-> IF i = 0 THEN f0 ELSE Def(g[i - 1], i)]
NatInductiveDefConclusion(f, f0, Def(_, _)) == f = [i \in Nat |-> IF i = 0 THEN f0 ELSE Def(f[i - 1], i)]
FiniteNatInductiveDefHypothesis(f, c, Def(_, _), m, n) == f = CHOOSE g : g = [i \in m..n |-> IF i = m THEN c ELSE Def(g[i - 1], i)]
FiniteNatInductiveDefConclusion(f, c, Def(_, _), m, n) == f = [i \in m..n |-> IF i = m THEN c ELSE Def(f[i - 1], i)]
====
