-------------------------- MODULE ExtendsChainBase --------------------------
EXTENDS Naturals
CONSTANT Top
ASSUME Top \in Nat
VARIABLES lo, hi
BaseInit == lo = 0 /\ hi = 0
Ordered == lo <= hi /\ hi <= Top
=============================================================================
