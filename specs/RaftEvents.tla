----------------------------- MODULE RaftEvents -----------------------------
(***************************************************************************)
(* Raft as a test sees it: one action for one event of an implementation,  *)
(* with what was seen of it as arguments. An action is disabled if the     *)
(* event is not one that Raft allows there.                                *)
(*                                                                         *)
(* There is no network: configurations put NoNetwork in the place of With, *)
(* Without and WithAll. A message is what the implementation delivered,    *)
(* and whether it was sent before is the cluster's affair. So states are   *)
(* those of the servers, and what is under way does not tell them apart.   *)
(*                                                                         *)
(* Where Raft leaves a choice (a vote that is not given, a commit index    *)
(* that moves a little less than it might), the implementation has chosen, *)
(* and the model follows it.                                               *)
(***************************************************************************)
EXTENDS Raft

NoNetwork(bag, m) == bag

-----------------------------------------------------------------------------
(* Elections *)

\* i runs for term t.
Campaigns(i, t) == currentTerm[i] + 1 = t /\ Timeout(i)

\* i leads term t.
Wins(i, t) == currentTerm[i] = t /\ ElectLeader(i)

RequestOf(from, to, t, index, lastTerm) ==
  [kind |-> "RequestVoteRequest", from |-> from, to |-> to, term |-> t, lastIndex |-> index, lastTerm |-> lastTerm]

\* `to` gives its vote of term t to `from`, whose log ends like this.
Grants(from, to, t, index, lastTerm) ==
  /\ t >= currentTerm[to]
  /\ IF t > currentTerm[to] THEN TRUE ELSE votedFor[to] \in {Nil, from}
  /\ UpToDate(lastTerm, index, to)
  /\ HandleRequestVoteRequest(RequestOf(from, to, t, index, lastTerm))

\* `to` does not: it may always refuse. It still hears of the term.
Refuses(from, to, t) ==
  /\ to \in active
  /\ IF t > currentTerm[to]
     THEN StepDown(to, t) /\ votedFor' = [votedFor EXCEPT ![to] = Nil]
     ELSE UNCHANGED <<currentTerm, role, votedFor, election, leading>>
  /\ UNCHANGED <<active, log, snapshotIndex, commitIndex, net>>

Voted(from, to, t, granted) ==
  HandleRequestVoteResponse(
    [kind |-> "RequestVoteResponse", from |-> from, to |-> to, term |-> t, granted |-> granted])

\* i hears of term t some other way.
Learns(i, t) == t > currentTerm[i] /\ Refuses(i, i, t)

\* i does not lead or run any more, in the same term: Raft never asks for that, and never forbids it.
GivesUp(i) ==
  /\ i \in active
  /\ role[i] # "follower"
  /\ StepDown(i, currentTerm[i])
  /\ UNCHANGED <<active, votedFor, log, snapshotIndex, commitIndex, net>>

-----------------------------------------------------------------------------
(* Replication *)

\* The leader i of term t appends v to its log.
Appends(i, t, v) == currentTerm[i] = t /\ ClientRequest(i, v)

\* `to` gets entries, and afterwards its log is `last` long and committed up to `commit`.
Receives(from, to, t, prev, prevTerm, entries, leaderCommit, last, commit) ==
  LET m == [kind |-> "AppendEntriesRequest", from |-> from, to |-> to, term |-> t, prevIndex |-> prev,
            prevTerm |-> prevTerm, entries |-> entries, commit |-> leaderCommit]
  IN  /\ Deliverable(m, "AppendEntriesRequest")
      /\ Receive(m)
      /\ Len(log'[to]) = last
      /\ commitIndex'[to] = commit

\* `to` hears from the leader of term t that what it has is committed up to k.
Hears(from, to, t, k) ==
  /\ k <= LastIndex(to)
  /\ HandleNilAppendEntriesRequest(
       [kind |-> "AppendEntriesRequest", from |-> from, to |-> to, term |-> t, prevIndex |-> k,
        prevTerm |-> TermAt(to, k), entries |-> <<>>, commit |-> k])

Replies(from, to, t, success, index) ==
  HandleAppendEntriesResponse(
    [kind |-> "AppendEntriesResponse", from |-> from, to |-> to, term |-> t, success |-> success, index |-> index])

\* The leader i commits up to k, which is no more than AdvanceCommitIndex allows.
Commits(i, k) ==
  /\ i \in active
  /\ role[i] = "leader"
  /\ k > commitIndex[i] /\ k <= LastIndex(i)
  /\ TermAt(i, k) = currentTerm[i]
  /\ IsQuorumAt(i, {i} \cup {j \in Server : matchIndex[i][j] >= k})
  /\ commitIndex' = [commitIndex EXCEPT ![i] = k]
  /\ UNCHANGED <<active, persistent, role, election, leading, net>>

\* i finds out some other way that its log is committed up to k. What is committed, a quorum has.
FindsCommitted(i, k) ==
  /\ i \in active
  /\ k > commitIndex[i] /\ k <= LastIndex(i)
  /\ IsQuorumAt(i, {j \in Server : k <= LastIndex(j) /\ TermAt(j, k) = TermAt(i, k)})
  /\ commitIndex' = [commitIndex EXCEPT ![i] = k]
  /\ UNCHANGED <<active, persistent, role, election, leading, net>>

-----------------------------------------------------------------------------
(* Snapshots and faults *)

\* i has put its first k entries into its snapshot, perhaps for the second time.
Compacts(i, k) ==
  /\ i \in active
  /\ k <= commitIndex[i]
  /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = Max(@, k)]
  /\ UNCHANGED <<active, currentTerm, votedFor, log, role, commitIndex, election, leading, net>>

\* `to` gets a snapshot of the first k entries, and afterwards its log is `last` long, committed up to `commit`, and the first
\* `snapshot` entries are in its own snapshot. What the entries are, the log of the sender says. Who has them all may take
\* the snapshot over, or only the news that they are committed.
Installs(from, to, t, k, last, commit, snapshot) ==
  /\ k <= LastIndex(from)
  /\ IF k <= LastIndex(to) /\ TermAt(to, k) = TermAt(from, k) /\ snapshot < k
     THEN Hears(from, to, t, k)
     ELSE HandleInstallSnapshotRequest(
            [kind |-> "InstallSnapshotRequest", from |-> from, to |-> to, term |-> t, snapshot |-> SubSeq(log[from], 1, k)])
  /\ Len(log'[to]) = last
  /\ commitIndex'[to] = commit
  /\ snapshotIndex'[to] = snapshot

Crashes(i) == Crash(i)

\* i is up again, and still knows that its log is committed up to k.
Restarts(i, k) ==
  /\ i \notin active
  /\ k >= snapshotIndex[i] /\ k <= LastIndex(i)
  /\ active' = active \cup {i}
  /\ commitIndex' = [commitIndex EXCEPT ![i] = k]
  /\ UNCHANGED <<persistent, role, election, leading, net>>

-----------------------------------------------------------------------------
\* What matters of a state: everything but the terms of servers that do not lead.
Abstract ==
  <<active, [i \in Server |-> IF role[i] = "leader" THEN currentTerm[i] ELSE 0], role, votedFor, log, commitIndex,
    snapshotIndex, votesResponded, votesGranted, nextIndex, matchIndex>>
=============================================================================
