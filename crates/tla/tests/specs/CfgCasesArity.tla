---- MODULE CfgCasesArity ----
\* A constant operator has one number of arguments.
CONSTANT Sum(_)
VARIABLE n
Init == n = 1
Next == n' = Sum(n)
====
