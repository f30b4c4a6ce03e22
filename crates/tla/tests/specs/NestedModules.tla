--------------------------- MODULE NestedModules ---------------------------
\* Modules inside a module; the inner one sees what was declared before it.
EXTENDS Naturals
VARIABLE x
Limit == 4
  ----------------------- MODULE Inner -----------------------
  CONSTANT Step
  VARIABLE v
  Go == v + Step <= Limit /\ v' = v + Step
  ------------------ MODULE Innermost ------------------
  Far == v > 2
  ======================================================
  IM == INSTANCE Innermost
  Distant == IM!Far
  ============================================================
By1 == INSTANCE Inner WITH Step <- 1, v <- x
By2 == INSTANCE Inner WITH Step <- 2, v <- x
Init == x = 0
Next == By2!Go \/ (By1!Go /\ x % 2 = 1) \/ (By1!Distant /\ x' = 1)
Fine == x \in 0..Limit
=============================================================================
