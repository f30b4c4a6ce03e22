------------------------ MODULE ReplacedForInstanceBase ------------------------
EXTENDS Naturals
VARIABLE x
Start == x = 0
Init == Start
Next == x < 9 /\ x' = x + 3
Spec == Init /\ [][Next]_x
================================================================================
