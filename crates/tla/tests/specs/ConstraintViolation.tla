------------------------ MODULE ConstraintViolation ------------------------
\* An invariant is also checked on the states that a constraint cuts off.
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x' = x + 1
Cut == x < 5
Low == x < 5
=============================================================================
