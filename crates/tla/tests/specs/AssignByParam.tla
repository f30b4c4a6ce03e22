--------------------------- MODULE AssignByParam ---------------------------
\* Variables as arguments: the operator primes its parameter. A value that is needed twice, by name and by LET.
EXTENDS Naturals
VARIABLES a, b, c
Set(v, e) == v' = e
Keep(v) == UNCHANGED v
Inc(v, top) == v < top /\ v' = v + 1
Move(from, to) == from > 0 /\ from' = from - 1 /\ to' = to + 1
Init == a = 3 /\ b = 0 /\ c = 0
Next == \/ Move(a, b) /\ Keep(c)
        \/ Move(b, a) /\ Keep(c)
        \/ Inc(c, 2) /\ Keep(<<a, b>>)
        \/ /\ c = 2
           /\ Set(a, b)
           /\ LET new == a' IN Set(b, 3 - new) /\ IF new > 0 THEN Set(c, 0) ELSE c' = 1
Fine == a + b = 3 /\ c \in 0..2
=============================================================================
