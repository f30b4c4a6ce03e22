------------------------------ MODULE InstLib ------------------------------
\* A library for the specs about INSTANCE: a counter with a bound and a step.
EXTENDS Naturals
CONSTANTS Bound, By(_)
VARIABLE c

Start == c = 0
Tick == c < Bound /\ c' = By(c)
Reset == c >= Bound /\ c' = 0
InRange == c \in 0..Bound + 1
LOCAL Hidden == 99
Twice(n) == 2 * n
=============================================================================
