--------------------------- MODULE RaftMembership ---------------------------
(***************************************************************************)
(* Raft with changes of membership, of one server at a time (section 4.1   *)
(* of Raft's thesis).                                                      *)
(*                                                                         *)
(* A change is an entry of the log: a number from 100 on, so servers and   *)
(* values are numbers below 100. A server goes by the latest change in its *)
(* log, committed or not. Who does not vote is still sent entries, and may *)
(* still run for a term: that costs others a term, and never an entry.     *)
(*                                                                         *)
(* Configurations put IsQuorumOfVoters in the place of IsQuorumAt, and     *)
(* Changes in that of ChangeValues.                                        *)
(***************************************************************************)
EXTENDS Raft

Addition(j) == 100 + j
Removal(j)  == 200 + j
Changes == {Addition(j) : j \in Server} \cup {Removal(j) : j \in Server}
IsChange(v) == v >= 100

Changed(voters, v) ==
  IF v >= 200 THEN voters \ {v - 200} ELSE IF v >= 100 THEN voters \cup {v - 100} ELSE voters

RECURSIVE VotersUpTo(_, _)
VotersUpTo(es, k) == IF k = 0 THEN Server ELSE Changed(VotersUpTo(es, k - 1), es[k].value)
Voters(i) == VotersUpTo(log[i], LastIndex(i))

IsQuorumOfVoters(i, S) == LET voters == Voters(i) IN 2 * Cardinality(S \cap voters) > Cardinality(voters)

-----------------------------------------------------------------------------
\* One change at a time, or the quorums of two changes need not meet; and none before the leader has committed
\* an entry of its own term, a rule that was added to Raft in 2015.
ChangeMembers(i, v) ==
  /\ \A k \in commitIndex[i] + 1..LastIndex(i) : ~IsChange(log[i][k].value)
  /\ \E k \in 1..commitIndex[i] : TermAt(i, k) = currentTerm[i]
  /\ Changed(Voters(i), v) \notin {Voters(i), {}}
  /\ ClientRequest(i, v)

AddServer(i, j) == ChangeMembers(i, Addition(j))
RemoveServer(i, j) == ChangeMembers(i, Removal(j))

NextWithChanges ==
  \/ Next
  \/ \E i, j \in Server : AddServer(i, j)
  \/ \E i, j \in Server : RemoveServer(i, j)

SpecWithChanges == Init /\ [][NextWithChanges]_vars

\* Not an invariant: a counterexample is an execution in which a server is removed, and added again.
NobodyIsBack == \A i \in Server : \A k \in 1..commitIndex[i] : ~\E j \in Server : log[i][k].value = Addition(j)
=============================================================================
