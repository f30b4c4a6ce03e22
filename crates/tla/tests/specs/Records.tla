------------------------------ MODULE Records ------------------------------
\* Records, sets of records, records as functions, sequences of records.
EXTENDS Naturals, Sequences, FiniteSets

VARIABLES rec, log

Msg == [kind : {"req", "ack"}, no : 0..2]

ASSUME Cardinality(Msg) = 6
ASSUME [no |-> 1, kind |-> "req"] \in Msg
ASSUME [kind |-> "req", no |-> 1] = [no |-> 1, kind |-> "req"]
ASSUME ~([kind |-> "nak", no |-> 1] \in Msg)
ASSUME [kind |-> "req"] \notin Msg
ASSUME DOMAIN [a |-> 1, b |-> 2] = {"a", "b"}
ASSUME [a |-> 1, b |-> 2]["b"] = 2
ASSUME [a |-> 1] = [x \in {"a"} |-> 1]
ASSUME [a : {1, 2}] = {[a |-> 1], [a |-> 2]}
ASSUME [a : {}, b : {1}] = {}
ASSUME [in |-> [x |-> [y |-> 3]]].in.x.y = 3

Init == rec \in Msg /\ log = <<>>

Step == /\ Len(log) < 2
        /\ log' = Append(log, [was |-> rec, at |-> Len(log) + 1])
        /\ \E m \in Msg : m.no # rec.no /\ rec' = m
Next == Step

Typed == /\ rec \in Msg
         /\ \A i \in DOMAIN log : log[i].at = i /\ log[i].was \in Msg
=============================================================================
