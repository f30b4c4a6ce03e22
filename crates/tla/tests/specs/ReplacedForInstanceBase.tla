------------------------ MODULE ReplacedForInstanceBase ------------------------
EXTENDS Naturals
VARIABLE x
Start == x = 0
Init == Start
Step == x < 9 /\ x' = x + 3
Next == Step
Spec == Init /\ [][Next]_x
================================================================================
