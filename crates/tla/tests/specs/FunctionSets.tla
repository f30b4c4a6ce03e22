--------------------------- MODULE FunctionSets ---------------------------
\* Sets of functions, in the initial predicate, as a type, as values, and one with an empty domain.
EXTENDS Naturals, FiniteSets

VARIABLES f, rest

ASSUME [{} -> {1, 2}] = {<<>>}
ASSUME [{1} -> {}] = {}
ASSUME [1..2 -> {"a"}] = {<<"a", "a">>}
ASSUME <<1, 2>> \in [1..2 -> Nat]
ASSUME Cardinality([{"x", "y"} -> 1..3]) = 9
ASSUME \A g \in [1..2 -> 1..2] : g[1] + g[2] \in 2..4
ASSUME {g \in [1..2 -> 0..1] : g[1] # g[2]} = {<<0, 1>>, <<1, 0>>}

Init == /\ f \in [{"p", "q"} -> 0..2]
        /\ rest = [{"p", "q"} -> {0}]

Next == \E g \in [{"p", "q"} -> 0..1] :
          /\ f' = [k \in DOMAIN f |-> (f[k] + g[k]) % 3]
          /\ rest' = {h \in [{"p", "q"} -> 0..1] : h["p"] <= g["q"]}

Typed == f \in [{"p", "q"} -> 0..2] /\ rest \subseteq [{"p", "q"} -> 0..1]
=============================================================================
