-------------------------- MODULE ErrRecursionHuge --------------------------
\* Every level of the recursion lists a large set of its own.
EXTENDS Naturals
VARIABLE x
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET e == CHOOSE e \in S : TRUE IN e + Sum(S \ {e})
Init == x = 0
Next == x' = Sum(1..1000000)
=============================================================================
