----------------------------- MODULE FilterLock -----------------------------
(***************************************************************************)
(* The filter lock: Peterson's algorithm for N processes. There are N - 1  *)
(* waiting rooms; in each, at least one process is held back, so that one  *)
(* at most gets through all of them.                                       *)
(*                                                                         *)
(* A benchmark: small functions over numbers and strings, many processes.  *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANT N
ASSUME N \in Nat /\ N > 1

VARIABLES
  pc,      \* process -> where it is
  level,   \* process -> the room that it wants to leave; 0 if it does not want anything
  last     \* room -> who came last

vars == <<pc, level, last>>
Proc == 1..N
Room == 1..N - 1

Init == /\ pc = [p \in Proc |-> "idle"]
        /\ level = [p \in Proc |-> 0]
        /\ last = [r \in Room |-> 1]

Go(p, from, to) == pc[p] = from /\ pc' = [pc EXCEPT ![p] = to]

Enter(p) == Go(p, "idle", "announce") /\ UNCHANGED <<level, last>>

\* p says that it is in the next room, and then that it came last.
Announce(p) == /\ Go(p, "announce", "yield")
               /\ level' = [level EXCEPT ![p] = @ + 1]
               /\ UNCHANGED last
Yield(p) == /\ Go(p, "yield", "wait")
            /\ last' = [last EXCEPT ![level[p]] = p]
            /\ UNCHANGED level

\* It may go on when somebody came after it, or when nobody else is in this room or further.
Pass(p) == /\ Go(p, "wait", IF level[p] = N - 1 THEN "inside" ELSE "announce")
           /\ \/ last[level[p]] # p
              \/ \A q \in Proc \ {p} : level[q] < level[p]
           /\ UNCHANGED <<level, last>>

Leave(p) == /\ Go(p, "inside", "idle")
            /\ level' = [level EXCEPT ![p] = 0]
            /\ UNCHANGED last

Next == \E p \in Proc : Enter(p) \/ Announce(p) \/ Yield(p) \/ Pass(p) \/ Leave(p)
Spec == Init /\ [][Next]_vars /\ \A p \in Proc : WF_vars(Announce(p) \/ Yield(p) \/ Pass(p) \/ Leave(p))

MutualExclusion == \A p, q \in Proc : pc[p] = "inside" /\ pc[q] = "inside" => p = q
\* In room r and further there are N - r at most, once they have said who came last.
Filtered == \A r \in Room :
  Cardinality({p \in Proc : level[p] > r \/ (level[p] = r /\ pc[p] \in {"announce", "inside"})}) <= N - r
TypeOK == /\ pc \in [Proc -> {"idle", "announce", "yield", "wait", "inside"}]
          /\ level \in [Proc -> 0..N - 1]
          /\ last \in [Room -> Proc]

NobodyStarves == \A p \in Proc : pc[p] = "announce" ~> pc[p] = "inside"
=============================================================================
