--------------------------- MODULE CfgModuleSubst ---------------------------
\* `<-[Module]`: replaces a definition inside one module alone; the same name elsewhere stays.
EXTENDS Naturals
VARIABLE x
Step == 1
Lib == INSTANCE CfgModuleSubstLib WITH v <- x
Ten == 10
Init == x = 0
Next == (x < 4 /\ x' = x + Step) \/ Lib!Leap
Fine == x \in 0..100
=============================================================================
