--------------------------- MODULE InstanceChain ---------------------------
\* A name through two instances: Outer!Inner!Op, and an instance whose module itself extends and instantiates.
EXTENDS Naturals
VARIABLE x
Mid == INSTANCE InstanceChainMid WITH y <- x, K <- 4
ASSUME Mid!Low!Twice(3) = 6 /\ Mid!Limit = 8
Init == Mid!Low!Start
Next == Mid!Low!Tick \/ Mid!Wrap
Fine == Mid!Low!InRange /\ x <= Mid!Limit + 1
=============================================================================
