---- MODULE InstanceNotLeibniz ----
\* What stands for an operator of an instance must give equal values for equal arguments: a prime of a
\* parameter does not.
VARIABLE x
Fits(a) == <<a, x'>>
Later(a) == a'
I == INSTANCE InstanceOperators WITH Op <- Fits
J == INSTANCE InstanceOperators WITH Op <- Later
Init == x = 0
Next == x' = 0
====
