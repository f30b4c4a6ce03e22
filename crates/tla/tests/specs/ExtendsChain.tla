---------------------------- MODULE ExtendsChain ----------------------------
\* Three files deep; variables, constants and definitions of all of them; a diamond through Naturals.
EXTENDS ExtendsChainMid, FiniteSets
More == lo' = 0 /\ hi' = Cardinality({lo, hi})
Next == MidNext \/ More
=============================================================================
