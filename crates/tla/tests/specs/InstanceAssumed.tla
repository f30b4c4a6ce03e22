---- MODULE InstanceAssumed ----
CONSTANT C
ASSUME C = {}
====
