--------------------------- MODULE ErrUnknownName ---------------------------
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = Missing(x)
=============================================================================
