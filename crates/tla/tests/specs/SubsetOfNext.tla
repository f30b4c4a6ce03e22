---- MODULE SubsetOfNext ----
\* `x' \subseteq S` and a definition or a LET that stands for `x'` assign; how often something was possible.
EXTENDS Naturals, TLC, _Possible
VARIABLES x, y
AXIOM \A f : f \in Nat
Init == /\ x \subseteq {1, 2}
        /\ y = 0
        /\ \/ x = {} \/ y = 0
        /\ ENABLED (y' = 1)
        /\ TLCGet("level") = 0
Later == y'
Next == /\ x' \subseteq x
        /\ Later = y
        /\ TLCGet("level")' = TLCGet("level") + 1
Can == ENABLED ((LET next == y' IN next) \in {3, 4})
Empty == x = {}
Shrinks == x' # x
AllCounted == _Counts["Empty"] = 5 /\ _Counts["Shrinks"] = 5 /\ _CheckName("Empty")
====
