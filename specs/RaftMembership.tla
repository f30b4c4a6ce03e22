--------------------------- MODULE RaftMembership ---------------------------
(***************************************************************************)
(* Raft with changes of membership, of one server at a time (section 4.1   *)
(* of Raft's thesis).                                                      *)
(*                                                                         *)
(* A change is an entry of the log: a number below 0, so values are        *)
(* numbers from 0 on, and servers numbers from 1 to 999. A server goes by  *)
(* the latest change in its log, committed or not. Who does not vote is    *)
(* still sent entries, and may still run for a term: that costs others a   *)
(* term, and never an entry.                                               *)
(*                                                                         *)
(* Configurations put IsQuorumOfVoters in the place of IsQuorumAt, and     *)
(* Changes in that of ChangeValues.                                        *)
(***************************************************************************)
EXTENDS Raft, Integers

Addition(j) == 0 - j
Removal(j)  == 0 - 1000 - j
Changes == {Addition(j) : j \in Server} \cup {Removal(j) : j \in Server}
IsChange(v) == v < 0

\* There is always a voter: the removal of the last one changes nothing.
Changed(voters, v) ==
  IF v >= 0 THEN voters
  ELSE IF v > 0 - 1000 THEN voters \cup {0 - v}
  ELSE IF voters = {0 - v - 1000} THEN voters
  ELSE voters \ {0 - v - 1000}

RECURSIVE VotersUpTo(_, _)
VotersUpTo(es, k) == IF k = 0 THEN Server ELSE Changed(VotersUpTo(es, k - 1), es[k].value)
Voters(i) == VotersUpTo(log[i], LastIndex(i))

IsQuorumIn(voters, S) == 2 * Cardinality(S \cap voters) > Cardinality(voters)
IsQuorumOfVoters(i, S) == IsQuorumIn(Voters(i), S)

-----------------------------------------------------------------------------
\* One change at a time, or the quorums of two changes need not meet; and none before the leader has committed
\* an entry of its own term, a rule that was added to Raft in 2015.
NoneIsPending(i) == \A k \in commitIndex[i] + 1..LastIndex(i) : ~IsChange(log[i][k].value)
MayChange(i, v) ==
  /\ NoneIsPending(i)
  /\ \E k \in 1..commitIndex[i] : TermAt(i, k) = currentTerm[i]
  /\ Changed(Voters(i), v) # Voters(i)

ChangeMembers(i, v) == MayChange(i, v) /\ ClientRequest(i, v)

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
