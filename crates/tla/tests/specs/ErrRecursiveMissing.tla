---- MODULE ErrRecursiveMissing ----
EXTENDS Naturals
\* What is declared RECURSIVE must be defined.
RECURSIVE Forgotten(_)
VARIABLE counter
Init == counter = 0
Next == counter' = 1 - counter
====
