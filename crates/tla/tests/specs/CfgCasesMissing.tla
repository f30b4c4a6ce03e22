---- MODULE CfgCasesMissing ----
\* A constant operator has no value for an argument that the configuration does not list.
CONSTANT Double(_)
VARIABLE n
Init == n = 1
Next == n' = Double(n)
====
