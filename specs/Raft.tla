-------------------------------- MODULE Raft --------------------------------
(***************************************************************************)
(* Raft with crashes, restarts, snapshots, and a network that loses,       *)
(* repeats and reorders messages.                                          *)
(*                                                                         *)
(* The model is cut so that an execution of an implementation can be run   *)
(* on it, event by event:                                                  *)
(*                                                                         *)
(*  - One action for one thing that a tester sees or does: a time-out, an  *)
(*    election won, a request of a client, a message of some kind handled, *)
(*    a commit index that moved, a snapshot taken, a crash, a restart, a   *)
(*    message dropped or repeated. Its arguments are what such an event    *)
(*    carries: a server, a value, a message.                               *)
(*  - A message is handled in one step, as implementations do it: a newer  *)
(*    term is taken over, the role given up, the message answered, all at  *)
(*    once. Every request is answered, also the one that is refused.       *)
(*  - The bounds are CONSTRAINTs. No action knows of them, so what the     *)
(*    model allows at some point can be asked without them.                *)
(*                                                                         *)
(* Servers keep their term, vote, log and snapshot when they crash, and    *)
(* forget the rest. Entries are never removed from `log[i]`: those up to   *)
(* `snapshotIndex[i]` stand for the snapshot, and no rule looks at them    *)
(* but for the term of the last one, which a snapshot holds. So indices    *)
(* are absolute, and what was committed can still be compared.             *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Server,        \* the servers: numbers or model values
  Value,         \* what clients ask for
  Nil,           \* nobody: no vote given
  MaxTerm,       \* bounds, see `Bounded`
  MaxLog,
  MaxNet,
  MaxCopies,
  MaxDown,
  KeepsVote      \* TRUE; with FALSE, a restart forgets the vote, a bug that real systems have had

VARIABLES
  active,          \* the servers that are up
  currentTerm,     \* server -> the latest term it has seen
  role,            \* server -> "follower", "candidate" or "leader"
  votedFor,        \* server -> whom it voted for in its term, or Nil
  log,             \* server -> sequence of [term, value]
  commitIndex,     \* server -> how many entries it knows to be committed
  snapshotIndex,   \* server -> how many entries are in its snapshot
  votesResponded,  \* candidate -> who answered
  votesGranted,    \* candidate -> who said yes
  nextIndex,       \* leader -> server -> the next entry to send there
  matchIndex,      \* leader -> server -> how far that log is known to agree
  net              \* messages in flight: message -> number of copies

persistent == <<currentTerm, votedFor, log, snapshotIndex>>
election   == <<votesResponded, votesGranted>>
leading    == <<nextIndex, matchIndex>>
vars == <<active, persistent, role, commitIndex, election, leading, net>>

-----------------------------------------------------------------------------
(* Small things *)

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

\* More than half of the servers. (A configuration can put something wrong in its place.)
IsQuorum(S) == 2 * Cardinality(S) > Cardinality(Server)
IsThird(S)  == Cardinality(S) >= Cardinality(Server) \div 3 + 1
\* Whether server i takes S for a quorum. (RaftMembership has IsQuorumOfVoters in its place.)
IsQuorumAt(i, S) == IsQuorum(S)
\* What stands in logs beside values. (RaftMembership has Changes in its place.)
ChangeValues == {}

LastIndex(i) == Len(log[i])
\* The term of an entry, 0 for the one before the first.
TermAt(i, k) == IF k = 0 THEN 0 ELSE log[i][k].term
LastTerm(i)  == TermAt(i, LastIndex(i))

\* Is a log that ends with an entry of term t at index k at least as good as i's?
UpToDate(t, k, i) == t > LastTerm(i) \/ (t = LastTerm(i) /\ k >= LastIndex(i))

(* The network: a bag. *)
With(bag, m) == IF m \in DOMAIN bag THEN [bag EXCEPT ![m] = @ + 1] ELSE bag @@ (m :> 1)
Without(bag, m) == IF bag[m] > 1 THEN [bag EXCEPT ![m] = @ - 1]
                   ELSE [k \in DOMAIN bag \ {m} |-> bag[k]]

RECURSIVE WithAll(_, _)
WithAll(bag, ms) == IF ms = {} THEN bag
                    ELSE LET m == CHOOSE m \in ms : TRUE IN WithAll(With(bag, m), ms \ {m})

\* The message was handled, and this is the answer.
Answer(m, answer) == net' = With(Without(net, m), answer)
Consume(m) == net' = Without(net, m)

Deliverable(m, kind) == m.kind = kind /\ m.to \in active

(* What i becomes when it hears of term t: one that leads or runs for an older term gives up. *)
NoVotes(i) == /\ votesResponded' = [votesResponded EXCEPT ![i] = {}]
              /\ votesGranted' = [votesGranted EXCEPT ![i] = {}]
NoPeers(i) == /\ nextIndex' = [nextIndex EXCEPT ![i] = [j \in Server |-> 1]]
              /\ matchIndex' = [matchIndex EXCEPT ![i] = [j \in Server |-> 0]]
StepDown(i, t) ==
  /\ currentTerm' = [currentTerm EXCEPT ![i] = t]
  /\ role' = [role EXCEPT ![i] = "follower"]
  /\ NoVotes(i)
  /\ NoPeers(i)

-----------------------------------------------------------------------------
Init ==
  /\ active = Server
  /\ currentTerm = [i \in Server |-> 0]
  /\ role = [i \in Server |-> "follower"]
  /\ votedFor = [i \in Server |-> Nil]
  /\ log = [i \in Server |-> <<>>]
  /\ commitIndex = [i \in Server |-> 0]
  /\ snapshotIndex = [i \in Server |-> 0]
  /\ votesResponded = [i \in Server |-> {}]
  /\ votesGranted = [i \in Server |-> {}]
  /\ nextIndex = [i \in Server |-> [j \in Server |-> 1]]
  /\ matchIndex = [i \in Server |-> [j \in Server |-> 0]]
  /\ net = <<>>

-----------------------------------------------------------------------------
(* Elections *)

\* i has not heard from a leader for too long: it runs for the next term and asks everybody for their votes.
Timeout(i) ==
  /\ i \in active
  /\ role[i] # "leader"
  /\ role' = [role EXCEPT ![i] = "candidate"]
  /\ currentTerm' = [currentTerm EXCEPT ![i] = @ + 1]
  /\ votedFor' = [votedFor EXCEPT ![i] = i]
  /\ votesResponded' = [votesResponded EXCEPT ![i] = {i}]
  /\ votesGranted' = [votesGranted EXCEPT ![i] = {i}]
  /\ net' = WithAll(net, {[kind |-> "RequestVoteRequest", from |-> i, to |-> j, term |-> currentTerm[i] + 1,
                           lastIndex |-> LastIndex(i), lastTerm |-> LastTerm(i)] : j \in Server \ {i}})
  /\ UNCHANGED <<active, log, snapshotIndex, commitIndex, leading>>

\* A vote is given once in a term, and only to a log that is at least as good as one's own.
HandleRequestVoteRequest(m) ==
  LET i     == m.to
      newer == m.term > currentTerm[i]
      voted == IF newer THEN Nil ELSE votedFor[i]
      grant == /\ m.term >= currentTerm[i]
               /\ voted \in {Nil, m.from}
               /\ UpToDate(m.lastTerm, m.lastIndex, i)
  IN  /\ Deliverable(m, "RequestVoteRequest")
      /\ IF newer THEN StepDown(i, m.term) ELSE UNCHANGED <<currentTerm, role, election, leading>>
      /\ votedFor' = [votedFor EXCEPT ![i] = IF grant THEN m.from ELSE voted]
      /\ Answer(m, [kind |-> "RequestVoteResponse", from |-> i, to |-> m.from, term |-> Max(m.term, currentTerm[i]),
                    granted |-> grant])
      /\ UNCHANGED <<active, log, snapshotIndex, commitIndex>>

\* Votes are a set, so a vote that arrives twice counts once. Those of an older election count for nothing.
HandleRequestVoteResponse(m) ==
  LET i == m.to
  IN  /\ Deliverable(m, "RequestVoteResponse")
      /\ Consume(m)
      /\ IF m.term > currentTerm[i]
         THEN /\ StepDown(i, m.term)
              /\ votedFor' = [votedFor EXCEPT ![i] = Nil]
         ELSE /\ IF m.term = currentTerm[i] /\ role[i] = "candidate"
                 THEN /\ votesResponded' = [votesResponded EXCEPT ![i] = @ \cup {m.from}]
                      /\ votesGranted' = [votesGranted EXCEPT ![i] = IF m.granted THEN @ \cup {m.from} ELSE @]
                 ELSE UNCHANGED election
              /\ UNCHANGED <<currentTerm, role, votedFor, leading>>
      /\ UNCHANGED <<active, log, snapshotIndex, commitIndex>>

ElectLeader(i) ==
  /\ i \in active
  /\ role[i] = "candidate"
  /\ IsQuorumAt(i, votesGranted[i])
  /\ role' = [role EXCEPT ![i] = "leader"]
  /\ nextIndex' = [nextIndex EXCEPT ![i] = [j \in Server |-> LastIndex(i) + 1]]
  /\ matchIndex' = [matchIndex EXCEPT ![i] = [j \in Server |-> 0]]
  /\ NoVotes(i)
  /\ UNCHANGED <<active, persistent, commitIndex, net>>

-----------------------------------------------------------------------------
(* Replication *)

ClientRequest(i, v) ==
  /\ i \in active
  /\ role[i] = "leader"
  /\ log' = [log EXCEPT ![i] = Append(@, [term |-> currentTerm[i], value |-> v])]
  /\ UNCHANGED <<active, currentTerm, votedFor, snapshotIndex, role, commitIndex, election, leading, net>>

\* All that j may lack; with nothing to send it is a heartbeat, which still carries the commit index.
\* (To send a message again that is in flight is the same as to duplicate it.)
AppendEntries(i, j) ==
  LET prev == nextIndex[i][j] - 1
      m == [kind |-> "AppendEntriesRequest", from |-> i, to |-> j, term |-> currentTerm[i],
            prevIndex |-> prev, prevTerm |-> TermAt(i, prev),
            entries |-> SubSeq(log[i], prev + 1, LastIndex(i)), commit |-> commitIndex[i]]
  IN  /\ i \in active /\ i # j
      /\ role[i] = "leader"
      /\ prev >= snapshotIndex[i]           \* otherwise the entries are gone: SendSnapshot
      /\ m \notin DOMAIN net
      /\ net' = With(net, m)
      /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading>>

\* The log of i after the entries es were found to follow its first prev entries. What agrees already is not touched:
\* a message that comes late must not cut off what newer ones have brought.
Merged(i, prev, es) ==
  IF /\ prev + Len(es) <= LastIndex(i)
     /\ \A k \in 1..Len(es) : log[i][prev + k].term = es[k].term
  THEN log[i]
  ELSE SubSeq(log[i], 1, prev) \o es

\* Of both kinds of AppendEntriesRequest, with entries and without.
Receive(m) ==
  LET i     == m.to
      stale == m.term < currentTerm[i]
      \* up to the snapshot everything is committed, so it agrees
      fits  == \/ m.prevIndex <= snapshotIndex[i]
               \/ m.prevIndex <= LastIndex(i) /\ TermAt(i, m.prevIndex) = m.prevTerm
      last  == m.prevIndex + Len(m.entries)
      reply == [kind |-> "AppendEntriesResponse", from |-> i, to |-> m.from, term |-> Max(m.term, currentTerm[i])]
  IN  IF stale
      THEN /\ Answer(m, reply @@ [success |-> FALSE, index |-> 0])
           /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading>>
      ELSE /\ StepDown(i, m.term)           \* also a candidate of the same term
           /\ votedFor' = [votedFor EXCEPT ![i] = IF m.term > currentTerm[i] THEN Nil ELSE @]
           /\ IF fits
              THEN /\ log' = [log EXCEPT ![i] = Merged(i, m.prevIndex, m.entries)]
                   /\ commitIndex' = [commitIndex EXCEPT ![i] = Max(@, Min(m.commit, last))]
                   /\ Answer(m, reply @@ [success |-> TRUE, index |-> last])
              ELSE /\ Answer(m, reply @@ [success |-> FALSE, index |-> Min(m.prevIndex - 1, LastIndex(i))])
                   /\ UNCHANGED <<log, commitIndex>>
           /\ UNCHANGED <<active, snapshotIndex>>

HandleAppendEntriesRequest(m) ==
  Deliverable(m, "AppendEntriesRequest") /\ m.entries # <<>> /\ Receive(m)
HandleNilAppendEntriesRequest(m) ==
  Deliverable(m, "AppendEntriesRequest") /\ m.entries = <<>> /\ Receive(m)

\* What is known to match never shrinks, or an old answer would undo a newer one.
HandleAppendEntriesResponse(m) ==
  LET i == m.to
      j == m.from
  IN  /\ Deliverable(m, "AppendEntriesResponse")
      /\ Consume(m)
      /\ IF m.term > currentTerm[i]
         THEN /\ StepDown(i, m.term)
              /\ votedFor' = [votedFor EXCEPT ![i] = Nil]
         ELSE /\ IF m.term = currentTerm[i] /\ role[i] = "leader"
                 THEN IF m.success
                      THEN /\ matchIndex' = [matchIndex EXCEPT ![i][j] = Max(@, m.index)]
                           /\ nextIndex' = [nextIndex EXCEPT ![i][j] = Max(@, m.index + 1)]
                      ELSE /\ nextIndex' = [nextIndex EXCEPT ![i][j] = Max(matchIndex[i][j], Min(@ - 1, m.index)) + 1]
                           /\ UNCHANGED matchIndex
                 ELSE UNCHANGED leading
              /\ UNCHANGED <<currentTerm, role, votedFor, election>>
      /\ UNCHANGED <<active, log, snapshotIndex, commitIndex>>

\* A leader commits what a quorum has, but only up to an entry of its own term.
AdvanceCommitIndex(i) ==
  LET Agreed(k) == IsQuorumAt(i, {i} \cup {j \in Server : matchIndex[i][j] >= k})
      now == {k \in commitIndex[i] + 1..LastIndex(i) : Agreed(k) /\ TermAt(i, k) = currentTerm[i]}
  IN  /\ i \in active
      /\ role[i] = "leader"
      /\ now # {}
      /\ commitIndex' = [commitIndex EXCEPT ![i] = CHOOSE k \in now : \A l \in now : l <= k]
      /\ UNCHANGED <<active, persistent, role, election, leading, net>>

-----------------------------------------------------------------------------
(* Snapshots *)

\* i puts its first k entries, which are committed, into its snapshot.
UpdateSnapshotIndex(i, k) ==
  /\ i \in active
  /\ k > snapshotIndex[i] /\ k <= commitIndex[i]
  /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = k]
  /\ UNCHANGED <<active, currentTerm, votedFor, log, role, commitIndex, election, leading, net>>

\* The entries that j lacks are gone: it gets the snapshot.
SendSnapshot(i, j) ==
  LET m == [kind |-> "InstallSnapshotRequest", from |-> i, to |-> j, term |-> currentTerm[i],
            snapshot |-> SubSeq(log[i], 1, snapshotIndex[i])]
  IN  /\ i \in active /\ i # j
      /\ role[i] = "leader"
      /\ nextIndex[i][j] <= snapshotIndex[i]
      /\ m \notin DOMAIN net
      /\ net' = With(net, m)
      /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading>>

\* A snapshot that brings nothing new is ignored, but answered. If the log has its last entry, what follows stays.
HandleInstallSnapshotRequest(m) ==
  LET i     == m.to
      k     == Len(m.snapshot)
      reply == [kind |-> "AppendEntriesResponse", from |-> i, to |-> m.from, term |-> Max(m.term, currentTerm[i])]
  IN  /\ Deliverable(m, "InstallSnapshotRequest")
      /\ IF m.term < currentTerm[i]
         THEN /\ Answer(m, reply @@ [success |-> FALSE, index |-> 0])
              /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading>>
         ELSE /\ StepDown(i, m.term)
              /\ votedFor' = [votedFor EXCEPT ![i] = IF m.term > currentTerm[i] THEN Nil ELSE @]
              /\ IF k <= commitIndex[i]
                 THEN UNCHANGED <<log, commitIndex, snapshotIndex>>
                 ELSE /\ log' = [log EXCEPT ![i] = IF k <= LastIndex(i) /\ TermAt(i, k) = m.snapshot[k].term
                                                   THEN @ ELSE m.snapshot]
                      /\ commitIndex' = [commitIndex EXCEPT ![i] = k]
                      /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = k]
              /\ Answer(m, reply @@ [success |-> TRUE, index |-> Max(k, commitIndex[i])])
              /\ UNCHANGED active

-----------------------------------------------------------------------------
(* Faults *)

\* What is not on disk is lost. The commit index falls back to what the snapshot holds.
Crash(i) ==
  /\ i \in active
  /\ active' = active \ {i}
  /\ role' = [role EXCEPT ![i] = "follower"]
  /\ commitIndex' = [commitIndex EXCEPT ![i] = snapshotIndex[i]]
  /\ votedFor' = IF KeepsVote THEN votedFor ELSE [votedFor EXCEPT ![i] = Nil]
  /\ NoVotes(i)
  /\ NoPeers(i)
  /\ UNCHANGED <<currentTerm, log, snapshotIndex, net>>

Restart(i) ==
  /\ i \notin active
  /\ active' = active \cup {i}
  /\ UNCHANGED <<persistent, role, commitIndex, election, leading, net>>

Drop(m) ==
  /\ net' = Without(net, m)
  /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading>>

Duplicate(m) ==
  /\ net' = With(net, m)
  /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading>>

-----------------------------------------------------------------------------
Next ==
  \/ \E i \in Server : Timeout(i)
  \/ \E i \in Server : ElectLeader(i)
  \/ \E i \in Server, v \in Value : ClientRequest(i, v)
  \/ \E i, j \in Server : AppendEntries(i, j)
  \/ \E i \in Server : AdvanceCommitIndex(i)
  \/ \E i \in Server : \E k \in 1..commitIndex[i] : UpdateSnapshotIndex(i, k)
  \/ \E i, j \in Server : SendSnapshot(i, j)
  \/ \E m \in DOMAIN net : HandleRequestVoteRequest(m)
  \/ \E m \in DOMAIN net : HandleRequestVoteResponse(m)
  \/ \E m \in DOMAIN net : HandleAppendEntriesRequest(m)
  \/ \E m \in DOMAIN net : HandleNilAppendEntriesRequest(m)
  \/ \E m \in DOMAIN net : HandleAppendEntriesResponse(m)
  \/ \E m \in DOMAIN net : HandleInstallSnapshotRequest(m)
  \/ \E m \in DOMAIN net : Drop(m)
  \/ \E m \in DOMAIN net : Duplicate(m)
  \/ \E i \in Server : Crash(i)
  \/ \E i \in Server : Restart(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Bounds, for CONSTRAINT *)

Bounded ==
  /\ \A i \in Server : currentTerm[i] <= MaxTerm /\ Len(log[i]) <= MaxLog
  /\ Cardinality(DOMAIN net) <= MaxNet
  /\ \A m \in DOMAIN net : net[m] <= MaxCopies
  /\ Cardinality(Server \ active) <= MaxDown

\* At most one server has ever run for a term: for configurations that are about replication.
OneCandidate == Cardinality({i \in Server : votedFor[i] = i}) <= 1

Symmetry == Permutations(Server)

-----------------------------------------------------------------------------
(* What must hold *)

TypeOK ==
  /\ active \subseteq Server
  /\ \A i \in Server :
       /\ currentTerm[i] \in Nat
       /\ role[i] \in {"follower", "candidate", "leader"}
       /\ votedFor[i] \in Server \cup {Nil}
       /\ \A k \in 1..Len(log[i]) : log[i][k] \in [term : Nat, value : Value \cup ChangeValues]
       /\ snapshotIndex[i] <= commitIndex[i] /\ commitIndex[i] <= Len(log[i])
       /\ votesGranted[i] \subseteq votesResponded[i]
       /\ \A j \in Server : matchIndex[i][j] < nextIndex[i][j]
  /\ \A m \in DOMAIN net : net[m] > 0 /\ m.from # m.to

\* At most one leader in a term.
ElectionSafety ==
  \A i, j \in Server :
    role[i] = "leader" /\ role[j] = "leader" /\ currentTerm[i] = currentTerm[j] => i = j

\* Two logs that have an entry of the same index and term agree up to it.
LogMatching ==
  \A i, j \in Server : \A k \in 1..Min(Len(log[i]), Len(log[j])) :
    log[i][k].term = log[j][k].term => SubSeq(log[i], 1, k) = SubSeq(log[j], 1, k)

\* Nobody applies another entry at the same index.
StateMachineSafety ==
  \A i, j \in Server : LET k == Min(commitIndex[i], commitIndex[j])
                       IN  SubSeq(log[i], 1, k) = SubSeq(log[j], 1, k)

\* What a server of a term up to the leader's knows to be committed, the leader has.
LeaderCompleteness ==
  \A i, j \in Server :
    role[i] = "leader" /\ currentTerm[j] <= currentTerm[i] =>
      /\ commitIndex[j] <= Len(log[i])
      /\ SubSeq(log[i], 1, commitIndex[j]) = SubSeq(log[j], 1, commitIndex[j])

\* Terms only grow, and no server loses what it has seen committed.
OnlyForward ==
  [][\A i \in Server : /\ currentTerm'[i] >= currentTerm[i]
                       /\ snapshotIndex'[i] >= snapshotIndex[i]
                       /\ SubSeq(log[i], 1, commitIndex[i]) = SubSeq(log'[i], 1, commitIndex[i])]_vars

\* Not invariants: a counterexample is an execution that reaches something, which shows that the bounds allow it.
NothingCommitted == \A i \in Server : commitIndex[i] = 0
NoSnapshotSent == \A m \in DOMAIN net : m.kind # "InstallSnapshotRequest"
=============================================================================
