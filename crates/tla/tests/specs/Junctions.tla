----------------------------- MODULE Junctions -----------------------------
\* Lists of conjuncts and disjuncts: what belongs to what is told by columns alone.
EXTENDS Naturals

VARIABLES a, b

\* The right-hand side of => is the whole of the second line's list item only.
ASSUME /\ TRUE
       /\ FALSE => FALSE
       /\ \/ FALSE
          \/ /\ TRUE
             /\ \/ FALSE
                \/ TRUE
       /\ TRUE

\* A quantifier inside an item ends with the item.
ASSUME /\ \E x \in 1..3 : x = 2
       /\ \A x \in {} : FALSE
       /\ LET y == 2
          IN y = 2
       /\ IF TRUE
          THEN TRUE
          ELSE FALSE

\* (FALSE and FALSE) or TRUE written in a list and without one
ASSUME \/ /\ FALSE
          /\ FALSE
       \/ TRUE
ASSUME (FALSE /\ FALSE) \/ TRUE
\* an expression that goes on to the next line, right of its bullet
ASSUME /\ 1 +
            2 = 3
       /\ 4 -
              1 = 3
\* an item may start with a negation, a parenthesis or another list on the same line
ASSUME /\ ~ \/ FALSE
            \/ FALSE
       /\ (/\ TRUE
           /\ TRUE)
       /\ /\ TRUE /\ TRUE

Init == /\ a = 0 /\ b = 0

Next ==
  \/ /\ a < 2
     /\ a' = a + 1
     /\ \/ b' = b
        \/ /\ b = 0
           /\ b' = 1
  \/ /\ a = 2
     /\ \/ b = 0 /\ b' = 2
        \/ b > 0 /\ b' = 0
     /\ a' \in {0,
                2}
  \/ a > 0 /\ b = 2
     /\ a' = a - 1 /\ b' = b

Fine == /\ a \in 0..2
        /\ b \in 0..2
=============================================================================
