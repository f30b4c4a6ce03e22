-------------------------- MODULE ErrNotRecursive --------------------------
\* A definition that uses itself without RECURSIVE.
EXTENDS Naturals
VARIABLE x
Sum(n) == IF n = 0 THEN 0 ELSE n + Sum(n - 1)
Init == x = 0
Next == x' = Sum(x)
=============================================================================
