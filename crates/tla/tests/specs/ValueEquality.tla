--------------------------- MODULE ValueEquality ---------------------------
\* One value, many ways to write it; as states they must coincide.
EXTENDS Naturals, Sequences, FiniteSets, TLC
VARIABLE v
ASSUME 1..3 = {3, 2, 1} /\ {x \in 0..9 : x \in 1..3} = 1..3 /\ 2..1 = {}
ASSUME <<1, 2>> = [i \in 1..2 |-> i] /\ <<>> = [i \in {} |-> i] /\ <<>> = [i \in 5..4 |-> i]
ASSUME [a |-> 1] = [x \in {"a"} |-> 1] /\ (1 :> 5) = <<5>>
ASSUME SUBSET {1} = {{}, {1}} /\ [1..1 -> {0}] = {<<0>>} /\ {1} \X {2} = {<<1, 2>>}
ASSUME Append(<<>>, 1) = (1 :> 1) /\ [a : {1}] = {[a |-> 1]}
ASSUME {1..2, {1, 2}, {2, 1}, {x \in 1..3 : x < 3}, UNION {{1}, {2}}, {1} \cup {2}, 1..3 \ {3}, DOMAIN <<7, 7>>} = {{1, 2}}
ASSUME Cardinality({<<1, 2>>, [i \in {1, 2} |-> i], (1 :> 1) @@ (2 :> 2), Tail(<<0, 1, 2>>), SubSeq(<<1, 2, 3>>, 1, 2)}) = 1
Init == v = 1..2
Next == v' \in { {2, 1}, {x \in 1..3 : x < 3}, 1..2, UNION {{1}, {2}}, DOMAIN <<5, 6>>,
                 <<1, 2>>[1]..2, {1} \cup {2}, (1..3) \ {3}, {x + 1 : x \in 0..1} }
=============================================================================
