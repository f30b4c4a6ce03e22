------------------------------ MODULE RaftCrate ------------------------------
(***************************************************************************)
(* Raft at the grain of the crate raft 0.7.0, as the target `raft` runs    *)
(* it: without pre-vote, quorum checks and changes of membership, with a   *)
(* disk that writes at once.                                               *)
(*                                                                         *)
(* The variables are those of module Raft, and so is what must hold. What  *)
(* differs is how much happens at once: whatever the crate does when it is *)
(* called is one action. Who gets the last vote leads, appends an empty    *)
(* entry and sends it; an acknowledgement moves the commit index, and      *)
(* everybody is told; an entry that was asked for is sent right away. What *)
(* module Raft leaves open is settled here:                                *)
(*                                                                         *)
(*  - A leader knows how it stands with each peer (`flow`): it probes,     *)
(*    replicates, or waits for a snapshot. While it probes, one append is  *)
(*    under way, until an answer or a heartbeat's answer comes.            *)
(*  - An append carries at most one entry, and a peer that it replicates   *)
(*    to is sent the next ones without waiting.                            *)
(*  - A rejection has a hint: where the two logs may agree.                *)
(*  - Messages of older terms are not answered.                            *)
(*  - Who asks for a vote says what it knows to be committed, and so does  *)
(*    who refuses it; the other one may believe it.                        *)
(*  - Snapshots go only to peers that have been heard of. What the log has *)
(*    already is not installed.                                            *)
(*  - The commit index survives a crash: it is written with the rest.      *)
(*                                                                         *)
(* A server is read into a record, the rules are operators from records    *)
(* to records with the messages to send, and the result is written back.   *)
(***************************************************************************)
EXTENDS Raft

CONSTANTS
  Noop,            \* the value of the entry that a new leader begins with
  GivesUpAfter     \* after so many ticks a leader takes a snapshot for lost

VARIABLES
  leaderId,        \* server -> whom it takes for the leader of its term, or Nil
  flow,            \* leader -> server -> how it stands with that server
  waited           \* server -> server -> for how many ticks it has waited for a snapshot to be acknowledged there

crateVars == <<vars, leaderId, flow, waited>>

-----------------------------------------------------------------------------
(* Servers as records *)

NoFlow == [state |-> "probe", paused |-> FALSE, pending |-> 0, heard |-> FALSE]
Peer(next) == NoFlow @@ [next |-> next, match |-> 0]
NoPeer == [j \in Server |-> Peer(1)]

Read(i) ==
  [id |-> i, term |-> currentTerm[i], vote |-> votedFor[i], role |-> role[i], leader |-> leaderId[i], log |-> log[i],
   commit |-> commitIndex[i], snapshot |-> snapshotIndex[i], answered |-> votesResponded[i], yes |-> votesGranted[i],
   peers |-> [j \in Server |-> flow[i][j] @@ [next |-> nextIndex[i][j], match |-> matchIndex[i][j]]]]

Write(i, s) ==
  /\ currentTerm' = [currentTerm EXCEPT ![i] = s.term]
  /\ votedFor' = [votedFor EXCEPT ![i] = s.vote]
  /\ role' = [role EXCEPT ![i] = s.role]
  /\ leaderId' = [leaderId EXCEPT ![i] = s.leader]
  /\ log' = [log EXCEPT ![i] = s.log]
  /\ commitIndex' = [commitIndex EXCEPT ![i] = s.commit]
  /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = s.snapshot]
  /\ votesResponded' = [votesResponded EXCEPT ![i] = s.answered]
  /\ votesGranted' = [votesGranted EXCEPT ![i] = s.yes]
  /\ nextIndex' = [nextIndex EXCEPT ![i] = [j \in Server |-> s.peers[j].next]]
  /\ matchIndex' = [matchIndex EXCEPT ![i] = [j \in Server |-> s.peers[j].match]]
  /\ flow' = [flow EXCEPT ![i] = [j \in Server |-> [f \in DOMAIN NoFlow |-> s.peers[j][f]]]]

\* A server and what it sends.
Quiet(s) == [server |-> s, out |-> {}]
Says(s, m) == [server |-> s, out |-> {m}]

End(s) == Len(s.log)
\* The term of an entry; 0 for one that is not there, or not any more.
TermIn(s, k) == IF k = 0 \/ k < s.snapshot \/ k > End(s) THEN 0 ELSE s.log[k].term

\* The last index up to k whose term is not above t.
Agreeable(s, k, t) ==
  LET ks == {n \in 0..k : TermIn(s, n) <= t} IN CHOOSE n \in ks : \A o \in ks : o <= n

\* s follows l, in term t.
Follow(s, t, l) ==
  [s EXCEPT !.term = t, !.vote = IF t = s.term THEN @ ELSE Nil, !.role = "follower", !.leader = l,
            !.answered = {}, !.yes = {}, !.peers = NoPeer]

Committed(s, k) == [s EXCEPT !.commit = Max(@, k)]

-----------------------------------------------------------------------------
(* What leaders send *)

IsPaused(p) == p.state = "snapshot" \/ (p.state = "probe" /\ p.paused)

AppendOf(s, j, k) ==
  [kind |-> "AppendEntriesRequest", from |-> s.id, to |-> j, term |-> s.term, prevIndex |-> k - 1,
   prevTerm |-> TermIn(s, k - 1), entries |-> IF k <= End(s) THEN <<s.log[k]>> ELSE <<>>, commit |-> s.commit]

SnapshotOf(s, j) ==
  [kind |-> "InstallSnapshotRequest", from |-> s.id, to |-> j, term |-> s.term, snapshot |-> SubSeq(s.log, 1, s.snapshot)]

\* One append to j, without an entry if there is none, or a snapshot.
SendOne(r, j) ==
  LET s == r.server
      p == s.peers[j]
  IN  CASE IsPaused(p) -> r
        [] ~IsPaused(p) /\ p.next <= s.snapshot ->
             IF p.heard
             THEN [server |-> [s EXCEPT !.peers[j].state = "snapshot", !.peers[j].paused = FALSE,
                                        !.peers[j].pending = s.snapshot],
                   out |-> r.out \cup {SnapshotOf(s, j)}]
             ELSE r
        [] OTHER ->
             [server |-> IF p.next > End(s) THEN s
                         ELSE IF p.state = "replicate" THEN [s EXCEPT !.peers[j].next = @ + 1]
                         ELSE [s EXCEPT !.peers[j].paused = TRUE],
              out |-> r.out \cup {AppendOf(s, j, p.next)}]

\* All entries that j lacks, as far as it may be sent them.
SendRest(r, j) ==
  LET s == r.server
      p == s.peers[j]
  IN  IF IsPaused(p) \/ p.next <= s.snapshot \/ p.next > End(s) THEN r
      ELSE IF p.state = "probe" THEN SendOne(r, j)
      ELSE [server |-> [s EXCEPT !.peers[j].next = End(s) + 1],
            out |-> r.out \cup {AppendOf(s, j, k) : k \in p.next..End(s)}]

SendAll(s) ==
  LET To(j) == SendOne(Quiet(s), j)
  IN  [server |-> [s EXCEPT !.peers = [j \in Server |-> IF j = s.id THEN s.peers[j] ELSE To(j).server.peers[j]]],
       out |-> UNION {To(j).out : j \in Server \ {s.id}}]

\* What a quorum has, if it is of the leader's own term.
Advanced(s) ==
  LET ks == {k \in 1..End(s) : IsQuorum({s.id} \cup {j \in Server : s.peers[j].match >= k})}
      k  == CHOOSE k \in ks : \A l \in ks : l <= k
  IN  IF ks # {} /\ k > s.commit /\ TermIn(s, k) = s.term THEN Committed(s, k) ELSE s

\* s has won: it appends an empty entry and sends it.
Lead(s) ==
  LET entry == [term |-> s.term, value |-> Noop]
  IN  SendAll([s EXCEPT !.role = "leader", !.leader = s.id, !.answered = {}, !.yes = {},
                        !.peers = [j \in Server |-> IF j = s.id THEN Peer(1) ELSE Peer(End(s) + 1)],
                        !.log = Append(@, entry)])

-----------------------------------------------------------------------------
(* Elections *)

\* What a server shows of its commit index when it asks for a vote or refuses one.
CommitShown(s) == [commit |-> s.commit, commitTerm |-> TermIn(s, s.commit)]

\* What a server hears of another's commit index when votes are asked for and refused.
Believes(s, m) ==
  IF s.role # "leader" /\ m.commit > s.commit /\ m.commitTerm > 0 /\ TermIn(s, m.commit) = m.commitTerm
  THEN Committed(s, m.commit) ELSE s

\* i has not heard from a leader for too long.
Campaign(i) ==
  LET s == [Follow(Read(i), currentTerm[i] + 1, Nil) EXCEPT !.role = "candidate", !.vote = i, !.answered = {i}, !.yes = {i}]
      asked == {[kind |-> "RequestVoteRequest", from |-> i, to |-> j, term |-> s.term, lastIndex |-> End(s),
                 lastTerm |-> TermIn(s, End(s))] @@ CommitShown(s) : j \in Server \ {i}}
      r == IF IsQuorum({i}) THEN Lead(s) ELSE [server |-> s, out |-> asked]
  IN  /\ i \in active
      /\ role[i] # "leader"
      /\ Write(i, r.server)
      /\ net' = WithAll(net, r.out)
      /\ UNCHANGED <<active, waited>>

VoteAsked(s, m) ==
  LET last  == TermIn(s, End(s))
      may   == s.vote = m.from \/ (s.vote = Nil /\ s.leader = Nil)
      good  == m.lastTerm > last \/ (m.lastTerm = last /\ m.lastIndex >= End(s))
      reply == [kind |-> "RequestVoteResponse", from |-> s.id, to |-> m.from, term |-> s.term]
  IN  IF may /\ good
      THEN Says([s EXCEPT !.vote = m.from], reply @@ [granted |-> TRUE, commit |-> 0, commitTerm |-> 0])
      ELSE Says(Believes(s, m), reply @@ [granted |-> FALSE] @@ CommitShown(s))

\* The first answer of each server counts. Who cannot win any more gives up.
VoteAnswered(s, m) ==
  LET t == IF m.from \in s.answered THEN s
           ELSE [s EXCEPT !.answered = @ \cup {m.from}, !.yes = IF m.granted THEN @ \cup {m.from} ELSE @]
      no == t.answered \ t.yes
  IN  IF s.role # "candidate" THEN Quiet(s)
      ELSE IF IsQuorum(t.yes) THEN Lead(t)
      ELSE IF ~IsQuorum(Server \ no) THEN Quiet(Believes(Follow(t, t.term, Nil), m))
      ELSE Quiet(Believes(t, m))

-----------------------------------------------------------------------------
(* Replication *)

\* A client asks the leader.
Propose(i, v) ==
  LET r == SendAll([Read(i) EXCEPT !.log = Append(@, [term |-> currentTerm[i], value |-> v])])
  IN  /\ i \in active
      /\ role[i] = "leader"
      /\ Write(i, r.server)
      /\ net' = WithAll(net, r.out)
      /\ UNCHANGED <<active, waited>>

\* s hears from the leader of its term.
Led(s, m) == IF s.role = "follower" THEN [s EXCEPT !.leader = m.from] ELSE Follow(s, s.term, m.from)

\* Below the commit index nothing is looked at: it agrees.
Appended(s, m) ==
  LET last  == m.prevIndex + Len(m.entries)
      same  == last <= End(s) /\ \A k \in 1..Len(m.entries) : s.log[m.prevIndex + k].term = m.entries[k].term
      hint  == Agreeable(s, Min(m.prevIndex, End(s)), m.prevTerm)
      reply == [kind |-> "AppendEntriesResponse", from |-> s.id, to |-> m.from, term |-> s.term]
  IN  IF m.prevIndex < s.commit
      THEN Says(s, reply @@ [success |-> TRUE, index |-> s.commit, hint |-> 0, hintTerm |-> 0])
      ELSE IF m.prevIndex <= End(s) /\ TermIn(s, m.prevIndex) = m.prevTerm
      THEN Says(Committed([s EXCEPT !.log = IF same THEN @ ELSE SubSeq(@, 1, m.prevIndex) \o m.entries], Min(m.commit, last)),
                reply @@ [success |-> TRUE, index |-> last, hint |-> 0, hintTerm |-> 0])
      ELSE Says(s, reply @@ [success |-> FALSE, index |-> m.prevIndex, hint |-> hint, hintTerm |-> TermIn(s, hint)])

Refused(s, m) ==
  LET j == m.from
      p == s.peers[j]
      hint == IF m.hintTerm > 0 /\ m.hint <= End(s) THEN Agreeable(s, m.hint, m.hintTerm) ELSE m.hint
  IN  IF p.state = "replicate"
      THEN IF m.index <= p.match THEN Quiet(s)
           ELSE SendOne(Quiet([s EXCEPT !.peers[j].state = "probe", !.peers[j].next = p.match + 1]), j)
      ELSE IF p.next - 1 # m.index THEN Quiet(s)
      \* The crate does not look at what is matched here (its issue 555).
      ELSE SendOne(Quiet([s EXCEPT !.peers[j].next = Max(1, Min(m.index, hint + 1)), !.peers[j].paused = FALSE]), j)

\* How a leader stands with a peer that has acknowledged a snapshot.
Recovered(p) == [p EXCEPT !.state = "probe", !.paused = FALSE, !.pending = 0, !.next = Max(p.match, p.pending) + 1]

Acknowledged(s, m) ==
  LET j == m.from
      p == [s.peers[j] EXCEPT !.match = Max(@, m.index), !.next = Max(@, m.index + 1)]
      q == CASE p.state = "probe" -> [p EXCEPT !.state = "replicate", !.paused = FALSE, !.next = p.match + 1]
             [] p.state = "snapshot" /\ p.match >= p.pending -> Recovered(p)
             [] OTHER -> [p EXCEPT !.paused = FALSE]
      t == [s EXCEPT !.peers[j] = q]
      a == Advanced(t)
      r == IF a.commit > s.commit THEN SendAll(a)
           ELSE IF IsPaused(s.peers[j]) THEN SendOne(Quiet(t), j)
           ELSE Quiet(t)
  IN  IF m.index <= s.peers[j].match THEN Quiet([s EXCEPT !.peers[j] = p]) ELSE SendRest(r, j)

AppendAnswered(s, m) ==
  LET t == [s EXCEPT !.peers[m.from].heard = TRUE]
  IN  IF s.role # "leader" THEN Quiet(s) ELSE IF m.success THEN Acknowledged(t, m) ELSE Refused(t, m)

\* How a leader stands with a peer after a heartbeat to it with a commit index: as before.
Beaten(p, commit) == p

\* A tick of a leader: heartbeats. A snapshot that was not acknowledged for too long is taken for lost.
Beat(i) ==
  LET s == Read(i)
      beats == {[kind |-> "Heartbeat", from |-> i, to |-> j, term |-> s.term, commit |-> Min(s.peers[j].match, s.commit)] :
                j \in Server \ {i}}
      ticks == [j \in Server |-> IF s.peers[j].state = "snapshot" THEN waited[i][j] + 1 ELSE 0]
      lost  == [j \in Server |-> ticks[j] >= GivesUpAfter]
      Tried(p) == [p EXCEPT !.state = "probe", !.pending = 0, !.paused = TRUE, !.next = p.match + 1]
      After(j) == Beaten(IF lost[j] THEN Tried(s.peers[j]) ELSE s.peers[j], Min(s.peers[j].match, s.commit))
  IN  /\ i \in active
      /\ role[i] = "leader"
      /\ Write(i, [s EXCEPT !.peers = [j \in Server |-> After(j)]])
      /\ waited' = [waited EXCEPT ![i] = [j \in Server |-> IF lost[j] THEN 0 ELSE ticks[j]]]
      /\ net' = WithAll(net, beats)
      /\ UNCHANGED active

BeatHeard(s, m) ==
  Says(Committed(s, m.commit), [kind |-> "HeartbeatResponse", from |-> s.id, to |-> m.from, term |-> s.term])

\* Is j sent an append when it answers a heartbeat?
Lacks(s, j) == s.peers[j].match < End(s)

BeatAnswered(s, m) ==
  LET j == m.from
      t == [s EXCEPT !.peers[j].heard = TRUE, !.peers[j].paused = FALSE]
  IN  IF s.role # "leader" THEN Quiet(s)
      ELSE IF Lacks(t, j) THEN SendOne(Quiet(t), j)
      ELSE Quiet(t)

-----------------------------------------------------------------------------
(* Snapshots *)

\* i puts all that it knows to be committed into its snapshot.
Compact(i) ==
  /\ i \in active
  /\ commitIndex[i] > snapshotIndex[i]
  /\ Write(i, [Read(i) EXCEPT !.snapshot = commitIndex[i]])
  /\ UNCHANGED <<active, net, waited>>

Installed(s, m) ==
  LET k == Len(m.snapshot)
      t == IF k < s.commit THEN s
           ELSE IF TermIn(s, k) = m.snapshot[k].term THEN Committed(s, k)
           ELSE [s EXCEPT !.log = m.snapshot, !.commit = k, !.snapshot = k]
  IN  Says(t, [kind |-> "AppendEntriesResponse", from |-> s.id, to |-> m.from, term |-> s.term, success |-> TRUE,
               index |-> t.commit, hint |-> 0, hintTerm |-> 0])

-----------------------------------------------------------------------------
(* Messages: one of an older term is lost on its receiver, one of a newer term makes it a follower. *)

FromLeader == {"AppendEntriesRequest", "Heartbeat", "InstallSnapshotRequest"}

Arrives(m, Rule(_, _)) ==
  LET i == m.to
      s == Read(i)
      l == IF m.kind \in FromLeader THEN m.from ELSE Nil
      t == IF m.term > s.term THEN Follow(s, m.term, l) ELSE s
      r == IF m.term < s.term THEN Quiet(s) ELSE Rule(IF l = Nil THEN t ELSE Led(t, m), m)
  IN  /\ Write(i, r.server)
      /\ net' = WithAll(Without(net, m), r.out)
      /\ UNCHANGED <<active, waited>>

HandleVoteRequest(m)       == Deliverable(m, "RequestVoteRequest") /\ Arrives(m, VoteAsked)
HandleVoteResponse(m)      == Deliverable(m, "RequestVoteResponse") /\ Arrives(m, VoteAnswered)
HandleAppend(m)            == Deliverable(m, "AppendEntriesRequest") /\ Arrives(m, Appended)
HandleAppendResponse(m)    == Deliverable(m, "AppendEntriesResponse") /\ Arrives(m, AppendAnswered)
HandleHeartbeat(m)         == Deliverable(m, "Heartbeat") /\ Arrives(m, BeatHeard)
HandleHeartbeatResponse(m) == Deliverable(m, "HeartbeatResponse") /\ Arrives(m, BeatAnswered)
HandleSnapshot(m)          == Deliverable(m, "InstallSnapshotRequest") /\ Arrives(m, Installed)

-----------------------------------------------------------------------------
(* Faults *)

\* All that is on disk stays, also the commit index.
Stop(i) ==
  /\ i \in active
  /\ active' = active \ {i}
  /\ Write(i, Follow(Read(i), currentTerm[i], Nil))
  /\ waited' = [waited EXCEPT ![i] = [j \in Server |-> 0]]
  /\ UNCHANGED net

Boot(i) ==
  /\ i \notin active
  /\ active' = active \cup {i}
  /\ UNCHANGED <<persistent, role, commitIndex, election, leading, net, leaderId, flow, waited>>

\* What is on its way to a server that is down waits for it.
Lose(m) ==
  /\ m.to \in active
  /\ net' = Without(net, m)
  /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading, leaderId, flow, waited>>

Repeat(m) ==
  /\ m.to \in active
  /\ net' = With(net, m)
  /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading, leaderId, flow, waited>>

-----------------------------------------------------------------------------
CrateInit ==
  /\ Init
  /\ leaderId = [i \in Server |-> Nil]
  /\ flow = [i \in Server |-> [j \in Server |-> NoFlow]]
  /\ waited = [i \in Server |-> [j \in Server |-> 0]]

CrateNext ==
  \/ \E i \in Server : Campaign(i)
  \/ \E i \in Server, v \in Value \ {Noop} : Propose(i, v)
  \/ \E i \in Server : Beat(i)
  \/ \E i \in Server : Compact(i)
  \/ \E m \in DOMAIN net : HandleVoteRequest(m)
  \/ \E m \in DOMAIN net : HandleVoteResponse(m)
  \/ \E m \in DOMAIN net : HandleAppend(m)
  \/ \E m \in DOMAIN net : HandleAppendResponse(m)
  \/ \E m \in DOMAIN net : HandleHeartbeat(m)
  \/ \E m \in DOMAIN net : HandleHeartbeatResponse(m)
  \/ \E m \in DOMAIN net : HandleSnapshot(m)
  \/ \E m \in DOMAIN net : Lose(m)
  \/ \E m \in DOMAIN net : Repeat(m)
  \/ \E i \in Server : Stop(i)
  \/ \E i \in Server : Boot(i)

CrateSpec == CrateInit /\ [][CrateNext]_crateVars

\* The same without faults and snapshots, for configurations with more entries: messages still overtake each other.
ReorderNext ==
  \/ \E i \in Server : Campaign(i)
  \/ \E i \in Server, v \in Value \ {Noop} : Propose(i, v)
  \/ \E i \in Server : Beat(i)
  \/ \E m \in DOMAIN net : HandleVoteRequest(m)
  \/ \E m \in DOMAIN net : HandleVoteResponse(m)
  \/ \E m \in DOMAIN net : HandleAppend(m)
  \/ \E m \in DOMAIN net : HandleAppendResponse(m)
  \/ \E m \in DOMAIN net : HandleHeartbeat(m)
  \/ \E m \in DOMAIN net : HandleHeartbeatResponse(m)

\* For configurations that are about other things.
NoBeats == \A m \in DOMAIN net : m.kind # "Heartbeat"

\* What the crate promises about its own book-keeping.
FlowOK ==
  \A i, j \in Server :
    /\ flow[i][j].state \in {"probe", "replicate", "snapshot"}
    /\ flow[i][j].state = "snapshot" <=> flow[i][j].pending > 0
    /\ role[i] # "leader" => flow[i][j] = NoFlow

\* Not so in version 0.7.0: see its issue 555.
NextAboveMatch == \A i, j \in Server : matchIndex[i][j] < nextIndex[i][j]

\* What module Raft says of types, but for that.
CrateTypeOK ==
  /\ active \subseteq Server
  /\ \A i \in Server :
       /\ votedFor[i] \in Server \cup {Nil} /\ leaderId[i] \in Server \cup {Nil}
       /\ \A k \in 1..Len(log[i]) : log[i][k] \in [term : Nat, value : Value]
       /\ snapshotIndex[i] <= commitIndex[i] /\ commitIndex[i] <= Len(log[i])
       /\ votesGranted[i] \subseteq votesResponded[i]
       /\ role[i] = "leader" <=> leaderId[i] = i
  /\ \A m \in DOMAIN net : net[m] > 0 /\ m.from # m.to
=============================================================================
