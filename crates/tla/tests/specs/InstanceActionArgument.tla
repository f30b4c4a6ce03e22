---- MODULE InstanceActionArgument ----
\* What a definition of an instance is not about may be of any level.
VARIABLE x
I(z) == INSTANCE InstanceVariable WITH y <- {z}
Init == x = 0
Next == x' = 0 /\ I(x')!Neither /\ I(x)!Step
====
