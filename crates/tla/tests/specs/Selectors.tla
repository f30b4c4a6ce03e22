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
xx == <<11, <<22, 33>>, 33>>
At(a) == /\ TRUE
         /\ xx[a][1] > 0
ASSUME At(2)!2!1!1 = <<22, 33>> /\ At(2)!2!<<!<<!>> = 2 /\ At(2)!2!<<!<<!<< = xx
Changed == [xx EXCEPT ![1] = 42]
OfField == xx.foo
Fields == [a |-> 1, b |-> 2]
ASSUME Changed!1 = xx /\ OfField!1 = xx /\ OfField!2 = "foo" /\ Fields!2 = 2
Cases == CASE 1 -> 11 [] 2 -> 22 [] OTHER -> 33
ASSUME Cases!1!1 = 1 /\ Cases!2!2 = 22 /\ Cases!3!2 = 33
Local == LET n == 23
             Plus(k) == n + k
         IN  n + 1
ASSUME Local!1 = 24 /\ Local!1!1 = 23 /\ Local!:!Plus(7) = 30 /\ Local!:!Plus(7)!: = 30
NN == 55
Square == [44]_NN
Weak == WF_NN(44)
ASSUME Square!1 = 44 /\ Square!2 = 55 /\ Weak!1 = 55 /\ Weak!2 = 44
Apply(Op(_), v) == Op(v)
Every == \A k \in {} : 2 * k
ASSUME Apply(Every!@, 42) = 84 /\ Apply(Local!:!Plus, 7) = 30
Twice(u) == 2 * u
Labelled(Arg(_), p) == \A k \in {1, 2}, <<y, z>> \in {<<3, 4>>} :
  lab(k, y, z) :: LET a ++ b == Arg(a) + b + k + 2 * y + 3 * z
                  IN  (Arg(1) + Arg(p) + 2 * k + 4 * y + 6 * z) = 1 ++ (inner :: p ++ 4)
ASSUME ~Labelled(Twice, 9) /\ ~Labelled(Twice, 9)!lab(1, 2, 3)
From(a) == {k \in {1, 2} : a = k}
Apply2(Op(_, _), v, w) == Op(v, w)
ASSUME Apply2(From!@, 2, 2)
ASSUME Labelled(Twice, 9)!lab(1, 2, 3)!inner = Labelled(Twice, 9)!lab(1, 2, 3)!:!++(9, 4)
Init == x = 0
Next == x' = 1 - x
====
