---- MODULE CfgCases ----
EXTENDS Integers
\* The configuration lists the values of constant operators.
CONSTANTS After(_), Cost(_, _), Idle
VARIABLE light
Init == light = Idle
Next == light' = After(light)
Inv == Cost(Idle, 1) = 10 /\ Cost(Idle, 2) = {After(Idle), {-3}}
====
