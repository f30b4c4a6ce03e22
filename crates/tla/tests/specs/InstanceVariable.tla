---- MODULE InstanceVariable ----
VARIABLE y
Step == y' = {0}
Neither == TRUE
====
