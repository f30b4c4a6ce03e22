------------------------------- MODULE Labels -------------------------------
\* Labelled subexpressions: no effect on the meaning.
EXTENDS Naturals
VARIABLE x
Init == start:: x = 0
Next == \/ up:: x < 3 /\ x' = x + 1
        \/ down:: /\ x > 0
                  /\ by:: x' = x - 1
        \/ \E k \in 0..1 : jump(k):: x = 3 /\ x' = k
Fine == ok:: x \in 0..3
=============================================================================
