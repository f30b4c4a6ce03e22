---- MODULE InstanceOperators ----
CONSTANT Op(_)
====
