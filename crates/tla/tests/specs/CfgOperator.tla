---- MODULE CfgOperator ----
EXTENDS Naturals
\* The configuration replaces operators that are symbols.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
a ++ b == a + b
Own(a, b) == a * 10 + b
Inv == 1 ++ 2 = 12
====
