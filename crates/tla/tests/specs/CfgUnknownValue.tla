---- MODULE CfgUnknownValue ----
\* A value for a name that no module has is passed over.
VARIABLE x
Init == x = FALSE
Next == x' = ~x
====
