-------------------------- MODULE ToolboxStyleSpec --------------------------
EXTENDS Naturals, Sequences
CONSTANTS Item, Cap
VARIABLE q
Grow(n) == n + 1000
Init == q = <<>>
Put(i) == Len(q) < Grow(Cap) /\ q' = Append(q, i)
Get == q # <<>> /\ q' = Tail(q)
Next == Get \/ \E i \in Item : Put(i)
Spec == Init /\ [][Next]_q
=============================================================================
