---- MODULE PropertyTautology ----
\* A property that follows from constants checks nothing.
VARIABLE n
Spec == n = 0 /\ [][n' = 1]_n
Always == TRUE
Prop == []<>(n = 1) => (Always \/ FALSE)
====
