---- MODULE CfgPostconditions ----
EXTENDS Naturals, TLC, TLCExt
\* Several postconditions, all of which hold.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Two == TLCGet("stats").distinct = 2
Three == TLCGet("stats").generated = 3 /\ TLCGet("stats").initial = 1
None == CounterExample.state = {} /\ CounterExample.action = {}
====
