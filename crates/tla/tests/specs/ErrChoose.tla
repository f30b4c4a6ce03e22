----------------------------- MODULE ErrChoose -----------------------------
\* CHOOSE without a witness.
EXTENDS Naturals
VARIABLE x
Init == x = 5
Next == x' = CHOOSE y \in 1..9 : y < x /\ y > x - 2
=============================================================================
