---- MODULE HiddenExpression ----
\* HIDE is about facts with names.
VARIABLE x
THEOREM Fact == 1 = 1
Init == x = 0
Next == x' = 0
HIDE Fact, TRUE
====
