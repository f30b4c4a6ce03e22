---- MODULE Counter ----
EXTENDS Integers
CONSTANT Nodes
VARIABLE total
Init == total = [n \in Nodes |-> 0]
Add(n, more) == total' = [total EXCEPT ![n] = @ + more]
Next == \E n \in Nodes : Add(n, 1)
====
