---- MODULE InstanceNotLeibnizLambda ----
VARIABLE x
I == INSTANCE InstanceOperators WITH Op <- LAMBDA a : ENABLED a
Init == x = 0
Next == x' = 0
====
