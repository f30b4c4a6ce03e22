---------------------------- MODULE SubsetUnion ----------------------------
\* SUBSET, UNION, the operators on sets, sets of sets.
EXTENDS Naturals, FiniteSets

VARIABLE fam

ASSUME SUBSET {} = {{}}
ASSUME SUBSET {1, 2} = {{}, {1}, {2}, {1, 2}}
ASSUME Cardinality(SUBSET SUBSET {1, 2}) = 16
ASSUME UNION {{1, 2}, {2, 3}, {}} = 1..3 /\ UNION {} = {}
ASSUME UNION SUBSET (1..4) = 1..4
ASSUME {1, 2} \cap {2, 3} = {2} /\ {1} \cup {2} = {2, 1} /\ {1, 2, 3} \ {2} = {1, 3}
ASSUME {1} \intersect {2} = {} /\ {1} \union {1} = {1}
ASSUME {1} \subseteq {1, 2} /\ {} \subseteq {} /\ ~({3} \subseteq {1, 2})
ASSUME {{1}, {1}} = {{1}} /\ {} # {{}} /\ {} \in {{}}
ASSUME 3 \notin {1, 2} /\ ~(1 \notin {1, 2})

Init == fam = {}
Put == \E s \in SUBSET (1..3) : fam' = fam \cup {s} /\ Cardinality(fam') <= 2
Melt == fam # {} /\ fam' = {UNION fam}
Next == Put \/ Melt

Fine == fam \in SUBSET SUBSET (1..3) /\ UNION fam \subseteq 1..3
=============================================================================
