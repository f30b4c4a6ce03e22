---------------------------- MODULE SymmetryNone ----------------------------
\* The same system without symmetry, to compare the counts.
EXTENDS SymmetrySet
=============================================================================
