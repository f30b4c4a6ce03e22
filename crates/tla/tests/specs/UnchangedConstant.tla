---- MODULE UnchangedConstant ----
\* UNCHANGED of a tuple in an instance where a constant stands for one of the variables.
EXTENDS Naturals
CONSTANT K
VARIABLES a, b
I == INSTANCE EnabledInner WITH N <- 1, x <- a, y <- K
Init == a = 0 /\ b = 0
Next == \/ a < 3 /\ a' = a + 1 /\ b' = 0
        \/ a = 3 /\ I!Stay /\ UNCHANGED b
        \/ b = 0 /\ b' = 1 /\ I!Stay
====
