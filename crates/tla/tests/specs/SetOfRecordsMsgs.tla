-------------------------- MODULE SetOfRecordsMsgs --------------------------
\* Records of different shapes in one set; a field is looked at only where it is.
EXTENDS Naturals, FiniteSets
VARIABLES msgs, seen
Init == msgs = {} /\ seen = {}
Send == \E n \in 1..2 :
          msgs' \in {msgs \cup {[kind |-> "num", val |-> n]},
                     msgs \cup {[kind |-> "set", elems |-> 1..n]},
                     msgs \cup {[kind |-> "seq", val |-> <<n>>, more |-> TRUE]}}
Read == \E m \in msgs : CASE m.kind = "num" -> seen' = seen \cup {m.val}
                          [] m.kind = "set" -> seen' = seen \cup m.elems
                          [] OTHER -> seen' = seen \cup {m.val[1] + 2}
Next == (Send /\ UNCHANGED seen) \/ (Read /\ UNCHANGED msgs)
Limit == Cardinality(msgs) <= 3
Fine == seen \subseteq 1..4
=============================================================================
