---- MODULE Functions ----
Inverse(f, S, T) == [t \in T |-> CHOOSE s \in S : t \in {f[x] : x \in S} => f[s] = t]
AntiFunction(f) == [y \in Range(f) |-> CHOOSE x \in DOMAIN f : f[x] = y]
RestrictDomain(f, P(_)) == [x \in {y \in DOMAIN f : P(y)} |-> f[x]]
RestrictValues(f, P(_)) == [x \in {y \in DOMAIN f : P(f[y])} |-> f[x]]
IsRestriction(f, g) == DOMAIN f \subseteq DOMAIN g /\ \A x \in DOMAIN f : f[x] = g[x]
IsInjective(f) == \A a, b \in DOMAIN f : f[a] = f[b] => a = b
Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : \A t \in T : \E s \in S : f[s] = t}
Bijection(S, T) == Injection(S, T) \cap Surjection(S, T)
ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}
Pointwise(f, g, T(_, _)) == [e \in DOMAIN f |-> T(f[e], g[e])]
====
