---------------------------- MODULE ExistsTuples ----------------------------
\* Quantifiers: tuples, several bounds, a bound that depends on another one, empty sets.
EXTENDS Naturals

VARIABLES at, edges

ASSUME \E <<x, y>> \in {<<1, 2>>, <<3, 3>>} : x = y
ASSUME \A <<x, y>> \in {<<1, 2>>, <<2, 3>>} : y = x + 1
ASSUME \A x, y \in 1..2, z \in {5} : x + y < z
ASSUME \E x \in 1..3, <<y, z>> \in {<<4, 5>>} : x + y = z
ASSUME \A x \in 1..3 : \E y \in 0..x : y = x
ASSUME \A x \in {} : FALSE
ASSUME ~ \E x \in {} : TRUE
ASSUME \A x \in {}, y \in 1..3 : FALSE
ASSUME \E x \in {1, 2} : \A y \in {1, 2} : x <= y
ASSUME (\A x \in 1..3 : x > 0) /\ ~(\A x \in 0..3 : x > 0)

Init == at = 1 /\ edges = {<<1, 2>>, <<2, 3>>, <<3, 1>>, <<2, 4>>}

Walk == \E <<from, to>> \in edges : from = at /\ at' = to /\ UNCHANGED edges
Cut  == \E e \in edges, n \in 1..4 : e[1] = n /\ n # at /\ edges' = edges \ {e} /\ at' = at
Next == Walk \/ Cut

Fine == \A <<from, to>> \in edges : from # to
=============================================================================
