---- MODULE HiddenNames ----
VARIABLE x
THEOREM Fact == 1 = 1
Init == x = 0
Next == x' = 0
USE Fact, TRUE DEF Init
HIDE Fact DEF Init, Next
====
