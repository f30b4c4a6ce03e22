---- MODULE TlcConfig ----
EXTENDS Naturals, TLC
\* What the specification can learn of its own check.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
ASSUME TLCGet("config").mode = "bfs" /\ TLCGet("config").worker = 1 /\ TLCGet("config").deadlock
ASSUME DOMAIN TLCGet("config") = {"mode", "deadlock", "worker", "seed", "fingerprint", "install"}
ASSUME {v.name : v \in TLCGet("spec").variables} = {"counter"}
ASSUME {i.name : i \in TLCGet("spec").invariants} = {"Inv"}
ASSUME DOMAIN TLCGet("spec") = {"inits", "actions", "temporals", "invariants", "impliedinits", "impliedactions", "impliedtemporals",
    "variables", "actionconstraints", "constraints"}
Inv == TLCGet("config").mode = "bfs"
====
