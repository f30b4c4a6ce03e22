---- MODULE TabColumns ----
\* The first disjunct begins after a tab, the second after eight spaces: both are in one list.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next ==
	\/ /\ x = 0
	   /\ x' = 1
        \/ /\ x = 1
           /\ x' = 2
	\/ /\ x = 2
	   /\ x' = 0
====
