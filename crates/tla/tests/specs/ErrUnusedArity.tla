---- MODULE ErrUnusedArity ----
EXTENDS Naturals
\* Too few arguments in a definition that nobody uses.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
Pair(a, b) == <<a, b>>
Unused == Pair(1)
====
