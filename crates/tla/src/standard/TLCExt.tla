---- MODULE TLCExt ----
LOCAL INSTANCE TLC
TLCCache(expression, closure) == expression
PickSuccessor(expression) == TRUE
TLCNoOp(value) == value
====
