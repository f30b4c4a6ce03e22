--------------------------- MODULE CfgOverrideNat ---------------------------
\* The configuration replaces definitions of standard modules, so that they can be listed.
EXTENDS Naturals, Sequences
VARIABLES n, q
SmallNat == 0..4
ShortSeq(S) == UNION {[1..k -> S] : k \in 0..2}
ASSUME 5 \notin Nat /\ Nat = 0..4
Init == n \in Nat /\ q = <<>>
Next == \/ \E m \in Nat : m > n /\ n' = m /\ UNCHANGED q
        \/ \E s \in Seq({n, 0}) : q' = s /\ UNCHANGED n
Fine == n \in Nat /\ q \in Seq(Nat)
=============================================================================
