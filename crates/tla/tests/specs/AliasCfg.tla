------------------------------ MODULE AliasCfg ------------------------------
\* ALIAS changes what a counterexample shows, not what is checked.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ y' = y + x
Low == y < 6
Shown == [total |-> y, next |-> x', both |-> <<x, y>>]
=============================================================================
