------------------------------ MODULE BigSets ------------------------------
\* Sets that must never be listed: membership is decided by what they are.
EXTENDS Naturals, Sequences
VARIABLES s, f
ASSUME {1, 60} \in SUBSET (1..60) /\ {0} \notin SUBSET (1..60)
ASSUME [i \in 1..30 |-> 31 - i] \in [1..30 -> 1..30]
ASSUME [i \in 1..30 |-> i] \notin [1..30 -> 2..30]
ASSUME <<1, {2, 3}, [i \in 1..40 |-> 0]>> \in Nat \X (SUBSET (1..50)) \X [1..40 -> Nat]
ASSUME [a |-> 1..20, b |-> 5] \in [a : SUBSET (1..40), b : 0..1000000000]
ASSUME {{1, 2}, {}} \in SUBSET SUBSET (1..64)
ASSUME SUBSET (1..40) = SUBSET (1..40)
ASSUME 999999999 \in 1..1000000000 /\ ~(0 \in 1..1000000000)
ASSUME <<{3}, {4, 5}>> \in Seq(SUBSET Nat)
ASSUME {7} \in SUBSET Nat /\ [x \in 1..3 |-> 2 * x] \in [1..3 -> Nat]
ASSUME \E x \in 1..1000000000 : x > 3
ASSUME (CHOOSE x \in 1..1000 : x > 3) = 4
Init == s = {1} /\ f = [i \in 1..30 |-> i]
Next == /\ \E k \in {2, 3, 60} : s' = s \cup {k}
        /\ f' = [f EXCEPT ![1] = IF @ < 5 THEN @ + 1 ELSE @]
Typed == s \in SUBSET (1..60) /\ f \in [1..30 -> 1..30]
=============================================================================
