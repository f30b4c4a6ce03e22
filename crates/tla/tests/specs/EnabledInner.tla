---- MODULE EnabledInner ----
EXTENDS Naturals
CONSTANT N
VARIABLES x, y
A == x < 3 /\ x' = x + 1 /\ y' = 1
B(n) == x' = n /\ y' \in {x', 7}
C == \E n \in 1..2 : x' = n /\ y' = x' + y
D == x' # x /\ x' \in 0..1 /\ UNCHANGED y
EnA == ENABLED A
EnB == ENABLED B(2)
EnC == ENABLED C
EnD == ENABLED D
EnE == ENABLED (x' = 5 /\ y' = 6 /\ x' + 1 = y')
P == x + y
Stay == UNCHANGED <<x, y>>
EnF == ENABLED (x' = 5 /\ y' = 1 /\ P' = 6)
EnG == ENABLED (UNCHANGED <<x, y>> /\ x = 1)
EnH == ENABLED (UNCHANGED P /\ x' = x + 1)
====
