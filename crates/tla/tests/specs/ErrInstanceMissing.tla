---- MODULE ErrInstanceMissing ----
EXTENDS Naturals
\* An instance needs something for every constant and variable.
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
I == INSTANCE EnabledInner WITH x <- counter, y <- 0
====
