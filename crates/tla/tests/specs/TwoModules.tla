---------------------------- MODULE TwoModulesBase ----------------------------
\* One file, three modules: the last one is the specification.
EXTENDS Naturals
Step(n) == (n + 1) % 3
=============================================================================

---------------------------- MODULE TwoModulesRest ----------------------------
EXTENDS TwoModulesBase
VARIABLE y
Start == y = 0
Move == y' = Step(y)
=============================================================================

------------------------------ MODULE TwoModules ------------------------------
VARIABLE x
Rest == INSTANCE TwoModulesRest WITH y <- x
Init == Rest!Start
Next == Rest!Move
=============================================================================
