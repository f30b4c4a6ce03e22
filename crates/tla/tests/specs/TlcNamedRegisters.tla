---- MODULE TlcNamedRegisters ----
EXTENDS Naturals, TLC, TLCExt
\* Registers with names.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
ASSUME TLCSet("s:a", 3) /\ TLCGet("s:a") = 3 /\ TLCGetOrDefault("s:b", 5) = 5
ASSUME TLCGetAndSet("s:a", +, 4, 0) = 3 /\ TLCGet("s:a") = 7
====
