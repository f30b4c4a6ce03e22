---- MODULE PropertyThroughInstanceInner ----
VARIABLE n
Holds(P(_), m) == [](P(m))
Everywhere(P(_), m) == Holds(P, m)
====
