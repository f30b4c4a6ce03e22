---- MODULE CfgConstantOfState ----
\* A definition that mentions a variable may stand for a constant if its value does not depend on it.
CONSTANT Limit
VARIABLE n
Bound == IF TRUE THEN 1 ELSE n
Init == n = 0
Next == n' = Limit
====
