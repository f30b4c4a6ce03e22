--------------------------- MODULE InstanceParam ---------------------------
\* A parameterised instance: one counter for each element of a set.
EXTENDS Naturals
VARIABLE f
Ids == {"a", "b", "c"}
Cell(i, top) == INSTANCE InstLib WITH c <- f[i], Bound <- top, By <- LAMBDA n : n + 1

ASSUME Cell("a", 3)!Twice(5) = 10

Init == f = [i \in Ids |-> 0]
\* f[i]' is not an assignment, so the steps are written out and the instance says what holds.
Next == \E i \in Ids : /\ f[i] < 2
                       /\ f' = [f EXCEPT ![i] = @ + 1]
                       /\ Cell(i, 2)!Tick
Fine == \A i \in Ids : Cell(i, 1)!InRange /\ (Cell(i, 0)!Start => f[i] = 0)
=============================================================================
