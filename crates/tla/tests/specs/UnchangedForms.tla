--------------------------- MODULE UnchangedForms ---------------------------
\* UNCHANGED of a variable, a tuple, a nested tuple, a defined tuple of defined tuples, and of an expression.
EXTENDS Naturals

VARIABLES a, b, c, d

left  == <<a, b>>
right == <<c, <<d>>>>
all   == <<left, right>>

Init == a = 0 /\ b = 0 /\ c = 0 /\ d = 0

StepA == a < 2 /\ a' = a + 1 /\ UNCHANGED <<b, right>>
StepB == b < a /\ b' = b + 1 /\ UNCHANGED a /\ UNCHANGED right
StepC == c < b /\ c' = c + 1 /\ UNCHANGED <<left, <<d>>>>
StepD == d < c /\ d' = d + 1 /\ UNCHANGED left /\ c' = c
Stay  == UNCHANGED all
\* not an assignment but a test, after the variables have their values
Swing == a = 2 /\ a' \in 0..2 /\ b' \in 0..2 /\ UNCHANGED (a + b) /\ UNCHANGED right

Next == StepA \/ StepB \/ StepC \/ StepD \/ Stay \/ Swing
Fine == a + b + c + d <= 8
=============================================================================
