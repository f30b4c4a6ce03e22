---- MODULE RealTime ----
EXTENDS Reals
VARIABLE now

RTBound(A, v, D, E) ==
    LET Counts(t) == t' = IF <<A>>_v \/ ~(ENABLED <<A>>_v)' THEN 0 ELSE t + (now' - now)
    IN  \EE t : t = 0 /\ [][Counts(t)]_<<t, v, now>> /\ [](t <= E) /\ [][A => t >= D]_v
RTnow(v) ==
    LET Passes == now' \in {r \in Real : r > now} /\ UNCHANGED v
    IN  now \in Real /\ [][Passes]_now /\ \A r \in Real : WF_now(Passes /\ now' > r)
====
