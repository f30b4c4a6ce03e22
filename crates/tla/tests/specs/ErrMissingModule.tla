-------------------------- MODULE ErrMissingModule --------------------------
EXTENDS Naturals, NowhereToBeFound
VARIABLE x
Init == x = 0
Next == x' = x
=============================================================================
