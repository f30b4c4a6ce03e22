-------------------------- MODULE SymmetryLiveness --------------------------
\* Liveness under SYMMETRY: checked, with a warning.
EXTENDS TLC
CONSTANTS Proc, None
VARIABLE owner
Perms == Permutations(Proc)
Init == owner = None
Take(p) == owner = None /\ owner' = p
Next == \E p \in Proc : Take(p)
Spec == Init /\ [][Next]_owner /\ WF_owner(Next)
Taken == <>(owner # None)
=============================================================================
