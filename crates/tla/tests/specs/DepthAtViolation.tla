---- MODULE DepthAtViolation ----
EXTENDS Naturals
\* The depth at a violation is that of the state that violates.
VARIABLE counter
Init == counter = 0
Next == counter' = counter + 1
Inv == counter < 4
====
