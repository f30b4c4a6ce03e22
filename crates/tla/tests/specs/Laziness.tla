------------------------------ MODULE Laziness ------------------------------
\* What is not needed is not evaluated.
EXTENDS Integers, Sequences
VARIABLE x
Bad == 1 \div 0
Second(a, b) == b
ASSUME ~(FALSE /\ Bad = 1) /\ (TRUE \/ Bad = 1) /\ (FALSE => Bad = 1)
ASSUME (IF TRUE THEN 1 ELSE Bad) = 1
ASSUME Second(Bad, 5) = 5
ASSUME LET unused == Bad IN 3 = 3
ASSUME \A y \in {} : Bad = y
ASSUME \E y \in {1, 2} : y = 1 \/ Bad = y
ASSUME {y \in {} : Bad = 1} = {} /\ {Bad : y \in {}} = {}
ASSUME (CASE TRUE -> 1 [] Bad = 1 -> 2) = 1
ASSUME \A s \in {<<>>, <<4>>} : s = <<>> \/ Head(s) = 4
ASSUME [y \in {} |-> Bad] = <<>>
Init == x = 2
Next == /\ x # 0
        /\ 4 \div x > 0
        /\ x' = x - 1
=============================================================================
