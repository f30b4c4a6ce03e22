--------------------------- MODULE ErrCfgConstant ---------------------------
\* The configuration gives no value to a constant.
EXTENDS Naturals
CONSTANT Forgotten
VARIABLE x
Init == x = 0
Next == x' = x
=============================================================================
