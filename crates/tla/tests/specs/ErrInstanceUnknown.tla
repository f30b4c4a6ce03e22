---- MODULE ErrInstanceUnknown ----
EXTENDS Naturals
\* Only constants and variables can be replaced.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
I == INSTANCE EnabledInner WITH N <- 1, x <- counter, y <- 0, nowhere <- 1
====
