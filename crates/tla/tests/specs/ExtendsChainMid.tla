-------------------------- MODULE ExtendsChainMid --------------------------
EXTENDS ExtendsChainBase, Sequences
MidNext == \/ hi < Top /\ hi' = hi + 1 /\ UNCHANGED lo
           \/ lo < hi /\ lo' = lo + Len(<<0>>) /\ UNCHANGED hi
=============================================================================
