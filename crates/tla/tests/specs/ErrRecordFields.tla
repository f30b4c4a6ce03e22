---- MODULE ErrRecordFields ----
EXTENDS Naturals
\* The fields of a record differ.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Unused == [a |-> 1, a |-> 2]
====
