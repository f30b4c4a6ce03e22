--------------------------- MODULE ExceptOutside ---------------------------
\* EXCEPT outside the domain changes nothing (TLC warns).
EXTENDS Naturals
VARIABLE f
ASSUME [<<1, 2>> EXCEPT ![3] = 9] = <<1, 2>>
ASSUME [[a |-> 1] EXCEPT !.b = 9] = [a |-> 1]
Init == f = [i \in 1..2 |-> 0]
Next == \E i \in 0..3 : f' = [f EXCEPT ![i] = 1]
Fine == DOMAIN f = 1..2
=============================================================================
