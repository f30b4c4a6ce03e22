----------------------------- MODULE ErrCfgName -----------------------------
\* The configuration names an invariant that is not there.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x
=============================================================================
