------------------------------ MODULE Products ------------------------------
\* Cartesian products: of three, nested ones are another thing, with an empty factor.
EXTENDS Naturals, FiniteSets
VARIABLE t
ASSUME Cardinality({1, 2} \X {3} \X {4, 5}) = 4
ASSUME <<1, 3, 5>> \in {1, 2} \X {3} \X {4, 5}
ASSUME <<1, <<3, 5>>>> \in {1, 2} \X ({3} \X {4, 5})
ASSUME <<1, 3, 5>> \notin {1, 2} \X ({3} \X {4, 5})
ASSUME ({1} \X {2}) \X {3} = {<<<<1, 2>>, 3>>}
ASSUME {} \X {1} = {} /\ {1} \times {2} = {<<1, 2>>}
ASSUME {<<x, y, z>> \in (0..2) \X (0..2) \X (0..2) : x + y + z = 6} = {<<2, 2, 2>>}
Init == t \in (0..1) \X {"a", "b"} \X SUBSET {5}
Next == \E i \in 1..3 : CASE i = 1 -> t' = <<1 - t[1], t[2], t[3]>>
                          [] i = 2 -> t' \in {t[1]} \X {"a", "c"} \X {t[3]}
                          [] i = 3 -> t' = [t EXCEPT ![3] = {5, 6} \ @]
Typed == t \in Nat \X STRING \X SUBSET Nat
=============================================================================
