---------------------------- MODULE HigherOrder ----------------------------
\* Operators as arguments: named, LAMBDA, infix symbols, of two arguments, partial application by LAMBDA.
EXTENDS Naturals, Sequences

VARIABLE v

Apply(F(_), x) == F(x)
Fold(F(_, _), e, q) == LET f[i \in 0..Len(q)] == IF i = 0 THEN e ELSE F(f[i - 1], q[i]) IN f[Len(q)]
Map(F(_), S) == {F(x) : x \in S}
Compose(F(_), G(_), x) == F(G(x))
Inc(x) == x + 1
AddThree(x, y, z) == x + y + z
Use3(F(_, _, _)) == F(1, 2, 3)

ASSUME Apply(Inc, 4) = 5
ASSUME Apply(LAMBDA x : x * x, 4) = 16
ASSUME Fold(+, 0, <<1, 2, 3>>) = 6 /\ Fold(-, 10, <<1, 2, 3>>) = 4
ASSUME Fold(LAMBDA a, b : a * 10 + b, 0, <<1, 2, 3>>) = 123
ASSUME Map(LAMBDA x : <<x, Inc(x)>>, {1, 2}) = {<<1, 2>>, <<2, 3>>}
ASSUME Compose(Inc, LAMBDA x : 2 * x, 5) = 11
ASSUME Use3(AddThree) = 6 /\ Use3(LAMBDA a, b, c : c) = 3
ASSUME LET k == 7 IN Apply(LAMBDA x : x + k, 1) = 8           \* closes over k
ASSUME Apply(LAMBDA x : Apply(LAMBDA y : x + y, 10), 5) = 15

Act(F(_), guard) == guard /\ v' = F(v)

Init == v = 0
Next == \/ Act(Inc, v < 5)
        \/ Act(LAMBDA x : x * 2, v \in 1..4)
        \/ Act(LAMBDA x : Fold(-, x, <<1, 1>>), v > 2)
Fine == v \in 0..8
=============================================================================
