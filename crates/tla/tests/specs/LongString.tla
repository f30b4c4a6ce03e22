----------------------------- MODULE LongString -----------------------------
\* The same of a string.
EXTENDS Naturals, Sequences
VARIABLE x
RECURSIVE Doubled(_)
Doubled(s) == Doubled(s \o s)
Init == x = Doubled("a")
Next == x' = x
=============================================================================
