-------------------------- MODULE InstanceChainMid --------------------------
EXTENDS Naturals
CONSTANT K
VARIABLE y
Low == INSTANCE InstLib WITH c <- y, Bound <- K + K, By <- LAMBDA n : n + 2
Limit == Low!Twice(K)
Wrap == y >= K /\ y' = y % K
=============================================================================
