---- MODULE CfgNotConstant ----
\* What stands for a constant has a value before there is a state.
CONSTANT Limit
VARIABLE n
Current == n
Init == n = 0
Next == n' = Limit
====
