--------------------------- MODULE ExceptNested ---------------------------
\* EXCEPT: @, several updates in one, nested paths, an update outside the domain.
EXTENDS Naturals

VARIABLES m, node

ASSUME [[i \in 1..3 |-> i] EXCEPT ![2] = 20] = <<1, 20, 3>>
ASSUME [<<1, 2, 3>> EXCEPT ![1] = @ + 10, ![3] = @ * @] = <<11, 2, 9>>
ASSUME [<<1, 2>> EXCEPT ![1] = 5, ![1] = @ + 1] = <<6, 2>>      \* from left to right
ASSUME [[a |-> 1, b |-> 2] EXCEPT !.a = @ + 1] = [b |-> 2, a |-> 2]
ASSUME [[a |-> 1] EXCEPT !["a"] = 3] = [a |-> 3]
ASSUME [[a |-> <<[b |-> 1], [b |-> 2]>>] EXCEPT !.a[1].b = @ + 7].a[1].b = 8
ASSUME [[i \in 1..2, j \in 1..2 |-> i * j] EXCEPT ![2, 2] = 0][<<2, 2>>] = 0
ASSUME [[p \in (1..2) \X (1..2) |-> 0] EXCEPT ![<<1, 2>>] = @ + 1][1, 2] = 1
ASSUME [[i \in 1..2 |-> [j \in 1..2 |-> 0]] EXCEPT ![1][2] = @ + 1, ![2] = [@ EXCEPT ![1] = 5]]
         = <<<<0, 1>>, <<5, 0>>>>

Init == /\ m = [i \in 1..2 |-> [j \in {"l", "r"} |-> 0]]
        /\ node = [box |-> <<[n |-> 0, seen |-> {}], [n |-> 0, seen |-> {}]>>, turn |-> 1]

Bump(i, j) == m[i][j] < 2 /\ m' = [m EXCEPT ![i][j] = @ + 1] /\ UNCHANGED node

Mark(i) == /\ node.turn = i
           /\ node' = [node EXCEPT !.box[i].seen = @ \cup {m[i]["l"]},
                                   !.box[i].n = IF @ < 1 THEN @ + 1 ELSE @,
                                   !.turn = 3 - @]
           /\ m' = m

Next == \E i \in 1..2 : Mark(i) \/ \E j \in {"l", "r"} : Bump(i, j)

Fine == \A i \in 1..2 : node.box[i].n <= 1 /\ node.box[i].seen \subseteq 0..2
=============================================================================
