----------------------------- MODULE CfgValues -----------------------------
\* Values in a configuration: numbers, strings, sets, sets of sets, booleans; comments of both kinds.
EXTENDS Integers, FiniteSets
CONSTANTS Num, Word, Flag, Mix, Deep
VARIABLE x
ASSUME Num = 12 /\ Word = "hello world" /\ Flag = TRUE
ASSUME Mix = {1, 2, 3} /\ Deep = {{1}, {}, {1, 2}}
Init == x \in Deep
Next == x' = x \cup (Mix \ x)
=============================================================================
