----------------------------- MODULE TlcAssert -----------------------------
\* Assert inside an action: the message is part of the error.
EXTENDS TLC, Naturals

VARIABLE x
Init == x = 0
Next == Assert(x # 3, <<"three is a crowd", x>>) /\ x' = x + 1
=============================================================================
