------------------------- MODULE ErrChooseUnbounded -------------------------
\* CHOOSE without a bound cannot be evaluated.
VARIABLE x
Init == x = CHOOSE y : y \notin {1}
Next == x' = x
=============================================================================
