---- MODULE ModelValueTypesSet ----
\* The elements of a set are compared with each other, so types of model values must fit.
CONSTANTS a_one, b_one, other
VARIABLE owners
Init == owners = {a_one, other}
Next == owners' = owners \cup {a_one, b_one}
====
