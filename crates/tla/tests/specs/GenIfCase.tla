----------------------------- MODULE GenIfCase -----------------------------
\* As GenDisjunct: a condition is a test, its branches are actions. LET and definitions change nothing.
EXTENDS Naturals
VARIABLE x
Test == x < 100 \/ x < 200
Go(n) == x' = n
Both(A, B) == A \/ B
Init == x = 0
Next == \/ x = 0 /\ IF (x = 0 \/ x < 9) THEN Go(1) ELSE Go(50)     \* 1
        \/ x = 1 /\ IF TRUE THEN (Go(2) \/ Go(2)) ELSE FALSE       \* 2
        \/ x = 2 /\ Test /\ Go(3)                                   \* 2
        \/ x = 3 /\ CASE Test -> Go(4) [] x = 4 -> Go(60)           \* 1
        \/ x = 4 /\ LET T == x < 7 \/ x < 8 IN T /\ Go(5)           \* 2
        \/ x = 5 /\ Both(Go(6), Go(7))                              \* 2
        \/ x = 6 /\ Both(x = 6, x = 6) /\ Go(7)                     \* 2
        \/ x = 7 /\ (LET n == 8 IN Go(n) \/ Go(n))                  \* 2
        \/ x = 8 /\ (IF Test THEN Test ELSE FALSE) /\ Go(0)         \* 2
=============================================================================
