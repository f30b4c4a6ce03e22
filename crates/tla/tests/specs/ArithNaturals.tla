--------------------------- MODULE ArithNaturals ---------------------------
\* Operators of Naturals, as constant expressions and in a next-state action.
EXTENDS Naturals

VARIABLES n, trail

ASSUME 2 + 3 * 4 = 14
ASSUME (2 + 3) * 4 = 20
ASSUME 10 - 3 - 2 = 5                  \* - associates to the left
ASSUME 7 \div 2 = 3 /\ 7 % 2 = 1
ASSUME 2^10 = 1024 /\ 5^0 = 1 /\ 1^7 = 1
ASSUME 2 * 3^2 = 18                    \* ^ binds tighter than *
ASSUME 1..0 = {} /\ 3..3 = {3} /\ 5..2 = {}
ASSUME 1 + 1..2 + 2 = {2, 3, 4}        \* .. binds looser than +
ASSUME ~(3 < 3) /\ 3 <= 3 /\ 3 =< 3 /\ 3 \leq 3 /\ 3 >= 3 /\ 3 \geq 3 /\ ~(3 > 3)
ASSUME 0 \in Nat /\ 17 \in Nat
ASSUME \b101 = 5 /\ \o17 = 15 /\ \hfF = 255

Init == n = 0 /\ trail = {}

Next == /\ n < 12
        /\ n' = n + 1
        /\ trail' = (trail \cup {n^2 % 7}) \ {n \div 3}

Small == \A k \in trail : k \in 0..6
=============================================================================
