--------------------------- MODULE CommFunctions ---------------------------
\* Operators of the community module Functions.
EXTENDS Functions, Naturals, FiniteSets, TLC
VARIABLE f
ASSUME Range(<<5, 6, 5>>) = {5, 6} /\ Range(<<>>) = {}
ASSUME Restrict([x \in 1..4 |-> x * x], {2, 3}) = (2 :> 4) @@ (3 :> 9)
ASSUME RestrictDomain(<<7, 8, 9>>, LAMBDA i : i < 3) = <<7, 8>>
ASSUME RestrictValues(<<7, 8, 9>>, LAMBDA v : v < 9) = <<7, 8>>
ASSUME IsInjective(<<1, 2>>) /\ ~IsInjective(<<1, 1>>)
ASSUME Inverse(<<3, 4>>, {1, 2}, {3, 4}) = (3 :> 1) @@ (4 :> 2)
ASSUME AntiFunction(<<"a", "b">>) = [a |-> 1, b |-> 2]
ASSUME Cardinality(Injection({1, 2}, {1, 2, 3})) = 6
ASSUME Cardinality(Surjection({1, 2, 3}, {1, 2})) = 6
ASSUME Bijection({1, 2}, {1, 2}) = {<<1, 2>>, <<2, 1>>}
ASSUME ExistsBijection({1, 2}, {3, 4}) /\ ~ExistsInjection({1, 2}, {3}) /\ ExistsSurjection({1, 2}, {3})
ASSUME FoldFunction(LAMBDA x, y : x + y, 0, <<1, 2, 3>>) = 6
ASSUME FoldFunctionOnSet(LAMBDA x, y : x + y, 0, <<1, 2, 3>>, {1, 3}) = 4
Init == f \in Bijection(1..3, 1..3)
Next == f' = [i \in 1..3 |-> f[(i % 3) + 1]]
Fine == Range(f) = 1..3 /\ IsInjective(f)
=============================================================================
