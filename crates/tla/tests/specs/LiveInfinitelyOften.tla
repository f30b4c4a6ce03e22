------------------------ MODULE LiveInfinitelyOften ------------------------
\* []<> and <>[] and ~>, all true.
EXTENDS Naturals
VARIABLES turn, work
vars == <<turn, work>>
Init == turn = 0 /\ work = {}
Pass == turn' = (turn + 1) % 3 /\ UNCHANGED work
Do == work' = work \cup {turn} /\ work' # work /\ UNCHANGED turn
Next == Pass \/ Do
Spec == Init /\ [][Next]_vars /\ WF_vars(Pass) /\ \A i \in 0..2 : SF_vars(turn = i /\ Do)
Comes == \A i \in 0..2 : []<>(turn = i)
Done == <>[](work = {0, 1, 2})
Leads == (turn = 0) ~> (turn = 2)
NotYet == (work = {}) ~> (work # {})
=============================================================================
