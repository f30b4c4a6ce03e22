--------------------------- MODULE InstancePlain ---------------------------
\* INSTANCE without a name: constants and variables of the same names, and one operator constant WITH.
EXTENDS Naturals
VARIABLE c
Bound == 5
Add(n) == n + 2
Hidden == 1        \* no clash: the one of the library is LOCAL
INSTANCE InstLib WITH By <- Add

ASSUME Twice(4) = 8 /\ Hidden = 1
Next == Tick \/ Reset
=============================================================================
