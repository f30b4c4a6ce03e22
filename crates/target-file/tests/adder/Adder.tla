---- MODULE Adder ----
EXTENDS Integers
CONSTANT Nodes
VARIABLE total
Init == total = [n \in Nodes |-> 0]
Add(n, by) == total[n] \in {0, 3 - by} /\ total' = [total EXCEPT ![n] = @ + by]
Next == \E n \in Nodes, by \in {1, 2} : Add(n, by)
====
