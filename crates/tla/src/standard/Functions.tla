---- MODULE Functions ----
EXTENDS Integers, Folds

Restrict(f, S) == [x \in S |-> f[x]]
RestrictDomain(f, P(_)) == [x \in {y \in DOMAIN f : P(y)} |-> f[x]]
RestrictValues(f, P(_)) == [x \in {y \in DOMAIN f : P(f[y])} |-> f[x]]
IsRestriction(f, g) == DOMAIN f \subseteq DOMAIN g /\ \A x \in DOMAIN f : f[x] = g[x]
Pointwise(f, g, T(_, _)) == [e \in DOMAIN f |-> T(f[e], g[e])]
Inverse(f, S, T) == LET images == Range(f) IN [t \in T |-> CHOOSE s \in S : t \in images => f[s] = t]
AntiFunction(f) == [y \in Range(f) |-> CHOOSE x \in DOMAIN f : f[x] = y]
IsInjective(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : \A t \in T : \E s \in S : f[s] = t}
Bijection(S, T) == {f \in Injection(S, T) : \A t \in T : \E s \in S : f[s] = t}
ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}
SumFunctionOnSet(f, S) == FoldFunctionOnSet(+, 0, f, S)
SumFunction(f) == FoldFunction(+, 0, f)
====
