---------------------------- MODULE VectorClocks ----------------------------
(***************************************************************************)
(* Logs of several nodes whose lines carry vector clocks: functions from   *)
(* nodes, or their names, to numbers. A node that a clock does not mention *)
(* counts as zero.                                                         *)
(***************************************************************************)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE TLC

LOCAL At(v, n) == IF n \in DOMAIN v THEN v[n] ELSE 0
LOCAL IsBefore(v, w) ==
  /\ \A n \in DOMAIN v : v[n] <= At(w, n)
  /\ \E n \in DOMAIN w : At(v, n) < w[n]

(* No line comes before one that happened before it. *)
IsCausalOrder(log, clock(_)) ==
  \A j \in DOMAIN log : \A i \in 1..(j - 1) : ~IsBefore(clock(log[j]), clock(log[i]))

(***************************************************************************)
(* The lines of the log in an order in which no line comes before one that *)
(* happened before it. Of two clocks, the later one has the larger sum.    *)
(* domain(v) are the nodes that the clock v mentions; which node has       *)
(* written a line does not matter.                                         *)
(***************************************************************************)
CausalOrder(log, clock(_), node(_), domain(_)) ==
  LET sum[i \in DOMAIN log] == MapThenSumSet(LAMBDA n : clock(log[i])[n], domain(clock(log[i])))
      order == SortSeq([i \in DOMAIN log |-> i], LAMBDA i, j : sum[i] < sum[j] \/ (sum[i] = sum[j] /\ i < j))
  IN  [i \in DOMAIN log |-> log[order[i]]]
=============================================================================
