----------------------------- MODULE TlcModule -----------------------------
\* Operators of the module TLC that are functions of their arguments.
EXTENDS TLC, Naturals, Sequences, FiniteSets

VARIABLE f

ASSUME 1 :> 2 = [x \in {1} |-> 2]
ASSUME (1 :> 2) @@ (1 :> 3) @@ (2 :> 4) = <<2, 4>>       \* the left one wins
ASSUME ("a" :> 1) @@ ("b" :> 2) = [a |-> 1, b |-> 2]
ASSUME Cardinality(Permutations({1, 2, 3})) = 6
ASSUME Permutations({}) = {<<>>}
ASSUME \A p \in Permutations({1, 2}) : DOMAIN p = {1, 2}
ASSUME SortSeq(<<3, 1, 2>>, LAMBDA x, y : x < y) = <<1, 2, 3>>
ASSUME SortSeq(<<3, 1, 2>>, >) = <<3, 2, 1>>
ASSUME ToString(42) = "42" /\ ToString({}) = "{}" /\ ToString(TRUE) = "TRUE"
ASSUME ToString(<<1, "x">>) = "<<1, \"x\">>"
ASSUME TLCEval({x \in 1..10 : x % 2 = 0}) = {2, 4, 6, 8, 10}
ASSUME Assert(1 + 1 = 2, "arithmetic is broken")
ASSUME PrintT(<<"printed", 1>>)
ASSUME Print("printed", TRUE)
ASSUME "anything" \in Any /\ 7 \in Any

Init == f = (0 :> 0)
Next == \E k \in 0..2 : f' = (k :> (k + Cardinality(DOMAIN f)) % 3) @@ f

Sorted == LET s == SortSeq(<<f[0], 1, 2>>, <) IN s[1] <= s[2] /\ s[2] <= s[3]
=============================================================================
