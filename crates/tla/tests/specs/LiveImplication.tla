-------------------------- MODULE LiveImplication --------------------------
\* Boolean combinations of temporal formulas; [] under =>; fairness as a part of the property.
EXTENDS Naturals
VARIABLES x, lazy
vars == <<x, lazy>>
Init == x = 0 /\ lazy \in BOOLEAN
Next == x' = (x + 1) % 3 /\ UNCHANGED lazy
Spec == Init /\ [][Next]_vars
FairMeansLive == WF_vars(Next) => []<>(x = 1)
EitherWay == (<>[](x = 0) \/ <>(x # 0)) /\ ([]lazy \/ []~lazy)
Weaker == []<>(x = 2) => <>(x = 1)
=============================================================================
