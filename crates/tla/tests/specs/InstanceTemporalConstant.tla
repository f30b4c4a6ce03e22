---- MODULE InstanceTemporalConstant ----
\* An assumption is never about temporal formulas, whatever stands for its constant.
VARIABLE x
I == INSTANCE InstanceAssumed WITH C <- x'
J == INSTANCE InstanceAssumed WITH C <- [](x = 0)
Init == x = 0
Next == x' = 0
====
