------------------------- MODULE CfgModuleSubstLib -------------------------
EXTENDS Naturals
VARIABLE v
Step == 3
Ten == 10
Leap == v < 20 /\ v' = v + Step
=============================================================================
