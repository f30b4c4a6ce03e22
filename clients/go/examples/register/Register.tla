---- MODULE Register ----
\* A replicated register. Node 1 is the primary, the others are its backups. Messages arrive in any order, each of them once.
EXTENDS Integers
CONSTANTS Nodes, Values, MaxVersion
VARIABLES
    version, \* of every node, the version that it holds
    value,   \* and its value
    writes,  \* what is on its way to backups
    acks     \* what is on its way back

Backups == Nodes \ {1}

Init ==
    /\ version = [n \in Nodes |-> 0]
    /\ value = [n \in Nodes |-> 0]
    /\ writes = {}
    /\ acks = {}

\* A client writes at the primary.
Write(v) ==
    /\ version' = [version EXCEPT ![1] = @ + 1]
    /\ value' = [value EXCEPT ![1] = v]
    /\ writes' = writes \cup {[to |-> n, version |-> version[1] + 1, value |-> v] : n \in Backups}
    /\ UNCHANGED acks

\* A backup receives a write. An old one must not overwrite a newer value.
Replicate(n, ver, val) ==
    /\ [to |-> n, version |-> ver, value |-> val] \in writes
    /\ version' = [version EXCEPT ![n] = IF ver > @ THEN ver ELSE @]
    /\ value' = [value EXCEPT ![n] = IF ver > version[n] THEN val ELSE @]
    /\ writes' = writes \ {[to |-> n, version |-> ver, value |-> val]}
    /\ acks' = acks \cup {[from |-> n, version |-> ver]}

\* The primary hears that a backup holds a version.
Acknowledge(n, ver) ==
    /\ [from |-> n, version |-> ver] \in acks
    /\ acks' = acks \ {[from |-> n, version |-> ver]}
    /\ UNCHANGED <<version, value, writes>>

Next ==
    \/ \E v \in Values : Write(v)
    \/ \E m \in writes : Replicate(m.to, m.version, m.value)
    \/ \E m \in acks : Acknowledge(m.from, m.version)

Bounded == version[1] <= MaxVersion
====
