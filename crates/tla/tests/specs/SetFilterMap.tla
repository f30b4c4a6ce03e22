--------------------------- MODULE SetFilterMap ---------------------------
\* Filters and maps, with tuples and with several bounds.
EXTENDS Naturals

VARIABLES rel, out

ASSUME {x \in 1..10 : x % 3 = 0} = {3, 6, 9}
ASSUME {x * x : x \in 1..3} = {1, 4, 9}
ASSUME {x + y : x \in 1..2, y \in {10, 20}} = {11, 12, 21, 22}
ASSUME {x + y : x, y \in 1..2} = {2, 3, 4}
ASSUME {<<x, y>> \in {1, 2} \X {1, 2} : x < y} = {<<1, 2>>}
ASSUME {x - y : <<x, y>> \in {<<3, 1>>, <<5, 2>>}} = {2, 3}
ASSUME {x + y + z : <<x, y>> \in {<<1, 2>>}, z \in {0, 1}} = {3, 4}
ASSUME {x \in {1, 2} : FALSE} = {} /\ {0 : x \in 1..9} = {0}
ASSUME {{y \in 1..x : y > 1} : x \in 1..3} = {{}, {2}, {2, 3}}
ASSUME {x \in {{}, {1}} : x \subseteq {}} = {{}}
ASSUME [x, y \in 1..2 |-> x + y][1, 2] = 3
ASSUME [<<x, y>> \in {<<1, 2>>} |-> x + y][1, 2] = 3
ASSUME [x \in 1..2, <<y, z>> \in {<<3, 4>>} |-> x + y + z][2, <<3, 4>>] = 9

Init == rel = {<<1, 2>>, <<2, 3>>} /\ out = {}

Compose == rel' = rel \cup {<<x, z>> : x \in 1..3, z \in {b : <<a, b>> \in {<<p, q>> \in rel : p # 1}}}
Image   == /\ out' = {y : <<x, y>> \in rel} \ out
           /\ rel' = rel
Swap    == rel' = {<<y, x>> : <<x, y>> \in rel} /\ out' = out
Next == (Compose /\ UNCHANGED out) \/ Image \/ Swap

Fine == rel \subseteq (1..3) \X (1..3)
=============================================================================
