---- MODULE Selectors ----
\* Parts of definitions by number, by what their bound names stand for, and by label.
EXTENDS Naturals
VARIABLE x
Def == /\ 1 + 2 = 3
       /\ \A n \in {1, 2} : n > 0
       /\ lab:: 5 = 5
Of(a) == {a + n : n \in 1..a}
ASSUME Def!1 /\ Def!2!(2) /\ ~Def!2!(0) /\ Def!lab /\ Def!1!<< = 3 /\ Def!1!>> = 3 /\ Def!2!1 = {1, 2}
ASSUME Of(3)!(4) = 7 /\ Of(3)!1 = 1..3
Init == x = 0
Next == x' = 1 - x
====
