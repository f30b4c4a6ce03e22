---------------------------- MODULE GenDisjunct ----------------------------
\* How many states are *generated*: every disjunct of an action that holds gives one, also when they are equal,
\* also when the disjunction only tests; a negation, an implication and an equivalence are tests and give one in all.
\* But once every variable has its new value, the conjuncts that are left are tests, whatever their form.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == \/ x = 0 /\ x' = 1                                  \* 1
        \/ x = 1 /\ (x' = 2 \/ x' = 2)                      \* 2
        \/ x = 2 /\ (x > 0 \/ x > 1 \/ x > 5) /\ x' = 3     \* 2
        \/ x = 3 /\ x' = 4 /\ (x' > 0 \/ x' > 1)            \* 1: all assigned before
        \/ x = 4 /\ (x > 9 => x > 10) /\ x' = 5             \* 1
        \/ x = 5 /\ ~(x > 9 /\ x > 10) /\ x' = 6            \* 1
        \/ x = 6 /\ (x > 0 <=> TRUE) /\ x' = 7              \* 1
        \/ x = 7 /\ (TRUE \/ TRUE) /\ (TRUE \/ TRUE) /\ x' = 8   \* 4
        \/ x = 8 /\ ((x > 0 \/ x > 1) = TRUE) /\ x' = 9     \* 1
        \/ x = 9 /\ x' \in {0, 0} \cup {9} \cup {9}         \* 2
=============================================================================
