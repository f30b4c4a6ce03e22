---- MODULE InstancePrimedArgument ----
\* An argument of an instance stands for a variable of its definition.
VARIABLE x
I(z) == INSTANCE InstanceVariable WITH y <- {z}
Never == I(x')!Step
Init == x = 0
Next == x' = 0
====
