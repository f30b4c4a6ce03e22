---- MODULE EnabledInstance ----
\* ENABLED inside an instance is about the instance's own variables, whatever stands for them; outside, what stands for them is
\* put in their place first.
EXTENDS Naturals
VARIABLES a, b
Constant == INSTANCE EnabledInner WITH N <- 1, x <- a, y <- 0
Expression == INSTANCE EnabledInner WITH N <- 1, x <- a + 0, y <- b
Twice == INSTANCE EnabledInner WITH N <- 1, x <- a, y <- a
Init == a = 0 /\ b = 0
Next == a' = (a + 1) % 3 /\ UNCHANGED b
Inside ==
    /\ Constant!EnA /\ Constant!EnB /\ Constant!EnC /\ Constant!EnE /\ Constant!EnF
    /\ Expression!EnA /\ Expression!EnB /\ Expression!EnC /\ Expression!EnE /\ Expression!EnF
    /\ Twice!EnA /\ Twice!EnB /\ Twice!EnC /\ Twice!EnE /\ Twice!EnF
    /\ Constant!EnG <=> a = 1
Outside == ~ENABLED Constant!A
====
