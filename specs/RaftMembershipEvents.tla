------------------------ MODULE RaftMembershipEvents ------------------------
(***************************************************************************)
(* Raft with changes of membership as a test sees it: RaftEvents, and the  *)
(* events that are others where there are changes.                         *)
(*                                                                         *)
(* Implementations differ in when a change counts. Raft's thesis has it    *)
(* count from when it is in the log. etcd's raft and its ports have it     *)
(* count from when it is applied; for them, configurations put             *)
(* VotersOnceApplied in the place of VotersWhen, and MayChangeOnceApplied  *)
(* in that of MayChange. All of them put IsQuorumNow in the place of       *)
(* IsQuorumAt.                                                             *)
(***************************************************************************)
EXTENDS RaftEvents, RaftMembership

\* Whom i takes for the voters when it knows its first k entries to be committed.
VotersWhen(i, k) == Voters(i)
VotersOnceApplied(i, k) == VotersUpTo(log[i], k)

IsQuorumNow(i, S) == IsQuorumIn(VotersWhen(i, commitIndex[i]), S)

\* A change that counts once it is applied is committed together with an entry of the leader's own term anyway. It may be one that
\* changes nothing.
MayChangeOnceApplied(i, v) == NoneIsPending(i)

\* The leader i of term t appends the change v to its log.
AppendsChange(i, t, v) ==
  /\ IsChange(v)
  /\ MayChange(i, v)
  /\ Appends(i, t, v)

\* The voters that i goes by are those that it is seen to go by.
GoesBy(i, voters) ==
  /\ i \in active
  /\ VotersWhen(i, commitIndex[i]) = voters
  /\ UNCHANGED vars

\* Can the leader i, which knows c entries to be committed, come to know k? A change that is applied on the way may let it
\* commit more, by the voters that come of it.
RECURSIVE MayCommit(_, _, _)
MayCommit(i, c, k) ==
  \E l \in c + 1..k :
    /\ TermAt(i, l) = currentTerm[i]
    /\ IsQuorumIn(VotersWhen(i, c), {i} \cup {j \in Server : matchIndex[i][j] >= l})
    /\ IF l = k THEN TRUE ELSE MayCommit(i, l, k)

\* The leader i commits up to k.
CommitsAmongVoters(i, k) ==
  /\ i \in active
  /\ role[i] = "leader"
  /\ k > commitIndex[i] /\ k <= LastIndex(i)
  /\ MayCommit(i, commitIndex[i], k)
  /\ commitIndex' = [commitIndex EXCEPT ![i] = k]
  /\ UNCHANGED <<active, persistent, role, election, leading, net>>

\* i finds out some other way that its log is committed up to k: a quorum of the voters at one of these entries has them.
FindsCommittedAmongVoters(i, k) ==
  /\ i \in active
  /\ k > commitIndex[i] /\ k <= LastIndex(i)
  /\ \E c \in commitIndex[i]..k :
       IsQuorumIn(VotersWhen(i, c), {j \in Server : k <= LastIndex(j) /\ TermAt(j, k) = TermAt(i, k)})
  /\ commitIndex' = [commitIndex EXCEPT ![i] = k]
  /\ UNCHANGED <<active, persistent, role, election, leading, net>>

\* `to` gets a snapshot of the first k entries by which it is no voter, and does not take it: only etcd's raft and its ports refuse.
PassesOver(from, to, t, k) ==
  /\ k <= LastIndex(from)
  /\ to \notin VotersUpTo(log[from], k)
  /\ Hears(from, to, t, 0)
=============================================================================
