--------------------------- MODULE InstanceLocal ---------------------------
\* LOCAL INSTANCE and LOCAL definitions do not pass through EXTENDS: the extending module may reuse the names.
EXTENDS InstanceLocalLib
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

VARIABLE x
Helper(n) == -n                     \* also defined, LOCAL, in the library
ASSUME Public(3) = 4 /\ Helper(3) = 0 - 3 /\ Len(<<1, 2>>) = 2

Init == x = 0
Next == x' \in {Public(x) % 4, Helper(Helper(x))}
Fine == x \in 0..3
=============================================================================
