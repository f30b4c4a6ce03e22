--------------------------- MODULE InstanceInLet ---------------------------
\* An instance inside LET, in an expression and in an action.
EXTENDS Naturals
VARIABLE x
Up(n) == n + 1
ASSUME LET L == INSTANCE InstanceLocalLib IN L!Public(4) = 5
Init == x = 0
Next == LET C == INSTANCE InstLib WITH c <- x, Bound <- 3, By <- Up
        IN  C!Tick \/ C!Reset
Fine == x \in 0..3
=============================================================================
