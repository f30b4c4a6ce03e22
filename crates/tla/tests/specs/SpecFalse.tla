---- MODULE SpecFalse ----
EXTENDS Naturals
\* A conjunct that is a constant, and FALSE; one that is TRUE is left out.
VARIABLE n
Fits == 1 < 2
Exceeds == 1 > 2
Spec == n = 0 /\ Fits /\ [][n' = 1]_n /\ Exceeds
====
