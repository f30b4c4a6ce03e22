---- MODULE ErrSeveral ----
EXTENDS Naturals
\* All that is wrong with the names of a module is reported in one go.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
First == Missing
Second == Absent(2)
====
