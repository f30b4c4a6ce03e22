---- MODULE CfgNotConstantStatistics ----
EXTENDS TLC
\* The statistics of a check have no value before it begins.
CONSTANT Limit
VARIABLE n
Found == TLCGet("distinct")
Init == n = 0
Next == n' = n
====
