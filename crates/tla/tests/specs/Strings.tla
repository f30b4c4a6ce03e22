------------------------------ MODULE Strings ------------------------------
\* Strings: equality, escapes, as elements of sets, in STRING, as the names of fields.
EXTENDS Naturals, Sequences, FiniteSets
VARIABLE w
ASSUME "a" # "b" /\ "a" = "a" /\ "" # "a" /\ "A" # "a"
ASSUME "abc" \in STRING /\ "" \in STRING
ASSUME "a\"b" # "ab" /\ Len("a\"b") = 3 /\ Len("\\") = 1 /\ Len("\n\t") = 2
ASSUME Cardinality({"x", "y", "x"}) = 2
ASSUME [x |-> 1]["x"] = 1
ASSUME "a" \notin {"b", "c"}
ASSUME Len("") = 0 /\ "con" \o "cat" = "concat" /\ SubSeq("hello", 2, 4) = "ell"
Init == w \in {"x", "yy", ""}
Next == Len(w) < 3 /\ w' \in {w \o "x", "y" \o w}
Fine == w \in STRING /\ Len(w) <= 3
=============================================================================
