---- MODULE ModelValueTypesExcept ----
\* EXCEPT compares an argument with those of the domain, so types of model values must fit. An argument of no
\* type fits them all.
CONSTANTS a_one, a_two, b_one, other
VARIABLE owner
Init == owner = [name \in {a_one, a_two} |-> 0]
Next == owner' = IF owner[a_one] = 0 THEN [owner EXCEPT ![other] = 1, ![a_one] = 1]
                                     ELSE [owner EXCEPT ![b_one] = 1]
====
