------------------------ MODULE ErrRecursionEndless ------------------------
\* A recursion without an end: an error, not a crash.
EXTENDS Naturals
VARIABLE x
RECURSIVE Down(_)
Down(n) == IF n = 0 THEN 0 ELSE Down(n + 1)
Init == x = 0
Next == x' = Down(1)
=============================================================================
