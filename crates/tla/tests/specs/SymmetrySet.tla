---------------------------- MODULE SymmetrySet ----------------------------
\* SYMMETRY over two sets of model values.
EXTENDS Naturals, FiniteSets, TLC
CONSTANTS Proc, Val, None
VARIABLES owner, said
Perms == Permutations(Proc) \cup Permutations(Val)
Init == owner = [v \in Val |-> None] /\ said = {}
Take(p, v) == owner[v] = None /\ owner' = [owner EXCEPT ![v] = p] /\ UNCHANGED said
Say(p, v) == owner[v] = p /\ said' = said \cup {<<p, v>>} /\ owner' = [owner EXCEPT ![v] = None]
Next == \E p \in Proc, v \in Val : Take(p, v) \/ Say(p, v)
Typed == /\ \A v \in Val : owner[v] \in Proc \cup {None}
         /\ said \subseteq Proc \X Val
=============================================================================
