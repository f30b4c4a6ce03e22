------------------------- MODULE ActionPropertyBad -------------------------
\* A property of steps that one step breaks.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x < 4 /\ x' = x + 1 /\ UNCHANGED y
        \/ x = 4 /\ x' = 2 /\ y' = 1
Spec == Init /\ [][Next]_<<x, y>>
Monotone == [][x' >= x]_x
=============================================================================
