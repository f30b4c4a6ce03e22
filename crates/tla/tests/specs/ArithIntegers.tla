--------------------------- MODULE ArithIntegers ---------------------------
\* Negative numbers: division rounds down, the remainder is never negative.
EXTENDS Integers

VARIABLES a, b, q, r

ASSUME (-7) \div 2 = -4
ASSUME -7 \div 2 = -3                  \* unary minus binds looser than \div and *,
ASSUME -7 % 2 = 1                      \* and tighter than %
ASSUME (-7) % 2 = 1 /\ (-8) % 3 = 1
ASSUME -2..2 = {0, -1, 1, -2, 2}
ASSUME -3 < -2 /\ -3 \in Int /\ ~(-3 \in Nat)
ASSUME 2 - -3 = 5 /\ - - 4 = 4
ASSUME (-2)^3 = -8 /\ (-2)^2 = 4
ASSUME -2^2 = -4

Init == /\ a \in -5..5
        /\ b \in 1..4
        /\ q = 0 /\ r = 0

Next == /\ q' = a \div b
        /\ r' = a % b
        /\ UNCHANGED <<a, b>>

Euclid == (q # 0 \/ r # 0) => (a = b * q + r /\ r \in 0..b - 1)
=============================================================================
