---- MODULE ErrLevelBox ----
EXTENDS Naturals
\* [] takes an action only as [A]_v.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Unused == [](counter' = counter)
====
