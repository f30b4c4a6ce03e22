---------------------------- MODULE PlantedRaft ----------------------------
(***************************************************************************)
(* Raft at the grain of the target planted-raft: whatever one step of the  *)
(* implementation does is one action here. A vote that makes a leader also *)
(* appends its no-op, sends it to everybody and, where it is alone, commits*)
(* it; an answer moves the commit index and sends the next entry.          *)
(*                                                                         *)
(* Variables, network, crashes and what must hold are those of Raft. An    *)
(* action changes one server, which is taken for it as a record: what the  *)
(* implementation does one after the other, functions of that record do.   *)
(*                                                                         *)
(* An entry's value says what it does: "noop", "put" a value, "add" or     *)
(* "remove" a server. A configuration counts from when it is in the log.   *)
(***************************************************************************)
EXTENDS Raft

CONSTANTS
  AppendMax,     \* the most entries that one append carries
  Also           \* what there is besides elections and the handling of messages: a subset of
                 \* {"heartbeat", "request", "change", "compact", "crash", "lose", "repeat"}

-----------------------------------------------------------------------------
(* Entries and configurations *)

Noop == [do |-> "noop", arg |-> 0]
PutOf(v) == [do |-> "put", arg |-> v]
ChangeOf(do, j) == [do |-> do, arg |-> j]

Changed(voters, value) ==
  CASE value.do = "add"    -> voters \cup {value.arg}
    [] value.do = "remove" -> voters \ {value.arg}
    [] OTHER               -> voters

IsChange(entry) == entry.value.do \in {"add", "remove"}

RECURSIVE VotersUpTo(_, _)
VotersUpTo(es, k) == IF k = 0 THEN Server ELSE Changed(VotersUpTo(es, k - 1), es[k].value)

\* Who votes, after these entries, and which of them says so: 0 if none does.
Voters(es) == VotersUpTo(es, Len(es))
LatestChange(es) ==
  LET changes == {k \in 1..Len(es) : IsChange(es[k])}
  IN  IF changes = {} THEN 0 ELSE CHOOSE k \in changes : \A l \in changes : l <= k

Majority(S, voters) == 2 * Cardinality(S \cap voters) > Cardinality(voters)

TermIn(es, k) == IF k = 0 THEN 0 ELSE es[k].term

-----------------------------------------------------------------------------
(* A server as a record *)

ServerOf(i) ==
  [term |-> currentTerm[i], role |-> role[i], vote |-> votedFor[i], log |-> log[i], commit |-> commitIndex[i],
   snapshot |-> snapshotIndex[i], responded |-> votesResponded[i], granted |-> votesGranted[i],
   next |-> nextIndex[i], match |-> matchIndex[i]]

Becomes(i, s) ==
  /\ currentTerm' = [currentTerm EXCEPT ![i] = s.term]
  /\ role' = [role EXCEPT ![i] = s.role]
  /\ votedFor' = [votedFor EXCEPT ![i] = s.vote]
  /\ log' = [log EXCEPT ![i] = s.log]
  /\ commitIndex' = [commitIndex EXCEPT ![i] = s.commit]
  /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = s.snapshot]
  /\ votesResponded' = [votesResponded EXCEPT ![i] = s.responded]
  /\ votesGranted' = [votesGranted EXCEPT ![i] = s.granted]
  /\ nextIndex' = [nextIndex EXCEPT ![i] = s.next]
  /\ matchIndex' = [matchIndex EXCEPT ![i] = s.match]
  /\ UNCHANGED active

\* A follower of this term.
Follower(s, t) ==
  [s EXCEPT !.term = t, !.role = "follower", !.responded = {}, !.granted = {},
            !.next = [j \in Server |-> 1], !.match = [j \in Server |-> 0]]

\* The server after it has heard of a term.
Heard(s, t) == IF t > s.term THEN [Follower(s, t) EXCEPT !.vote = Nil] ELSE s

-----------------------------------------------------------------------------
(* What a leader does *)

\* What j lacks next; nothing is a heartbeat. If the entries before it are gone, it is the snapshot.
AppendTo(i, s, j) ==
  LET next == Min(s.next[j], Len(s.log) + 1)
      prev == next - 1
  IN  IF prev < s.snapshot
      THEN [kind |-> "InstallSnapshotRequest", from |-> i, to |-> j, term |-> s.term,
            snapshot |-> SubSeq(s.log, 1, s.snapshot)]
      ELSE [kind |-> "AppendEntriesRequest", from |-> i, to |-> j, term |-> s.term,
            prevIndex |-> prev, prevTerm |-> TermIn(s.log, prev),
            entries |-> SubSeq(s.log, next, Min(Len(s.log), prev + AppendMax)), commit |-> s.commit]

Peers(i, s) == Voters(s.log) \ {i}
AppendToAll(i, s) == {AppendTo(i, s, j) : j \in Peers(i, s)}

\* A leader commits what a quorum has, but only up to an entry of its own term. One that is removed by it leads no more.
Committed(i, s) ==
  LET voters == Voters(s.log)
      now == {k \in s.commit + 1..Len(s.log) : /\ s.log[k].term = s.term
                                               /\ Majority({j \in voters : j = i \/ s.match[j] >= k}, voters)}
  IN  IF now = {} THEN s
      ELSE LET k == CHOOSE k \in now : \A l \in now : l <= k
               t == [s EXCEPT !.commit = k]
           IN  IF i \notin voters /\ LatestChange(s.log) <= k THEN Follower(t, t.term) ELSE t

Wins(s) == Majority(s.granted, Voters(s.log))

\* The new leader begins its term with an entry that says nothing.
Leader(s) ==
  [s EXCEPT !.role = "leader", !.responded = {}, !.granted = {}, !.next = [j \in Server |-> Len(s.log) + 1],
            !.match = [j \in Server |-> 0], !.log = Append(s.log, [term |-> s.term, value |-> Noop])]

\* A candidate that may have won: what it becomes, and what it sends then.
Elected(i, s) == IF Wins(s) THEN Committed(i, Leader(s)) ELSE s
SentIfElected(i, s) == IF Wins(s) THEN AppendToAll(i, Leader(s)) ELSE {}

-----------------------------------------------------------------------------
(* The clock *)

\* i runs for the next term. Who does not vote does not run.
Campaign(i) ==
  LET s == [Follower(ServerOf(i), currentTerm[i] + 1) EXCEPT
              !.role = "candidate", !.vote = i, !.responded = {i}, !.granted = {i}]
      asked == {[kind |-> "RequestVoteRequest", from |-> i, to |-> j, term |-> s.term,
                 lastIndex |-> Len(s.log), lastTerm |-> TermIn(s.log, Len(s.log))] : j \in Peers(i, s)}
  IN  /\ i \in active
      /\ role[i] # "leader"
      /\ i \in Voters(log[i])
      /\ Becomes(i, Elected(i, s))
      /\ net' = WithAll(net, asked \cup SentIfElected(i, s))

Heartbeat(i) ==
  /\ i \in active
  /\ role[i] = "leader"
  /\ net' = WithAll(net, AppendToAll(i, ServerOf(i)))
  /\ UNCHANGED <<active, persistent, role, commitIndex, election, leading>>

-----------------------------------------------------------------------------
(* Clients *)

\* Who lacks more than the new entry has been sent something that it has yet to answer.
Appended(i, value) ==
  LET s == [ServerOf(i) EXCEPT !.log = Append(@, [term |-> currentTerm[i], value |-> value])]
      sent == {AppendTo(i, s, j) : j \in {j \in Peers(i, s) : s.next[j] = Len(s.log)}}
  IN  /\ Becomes(i, Committed(i, s))
      /\ net' = WithAll(net, sent)

Request(i, v) ==
  /\ i \in active
  /\ role[i] = "leader"
  /\ Appended(i, PutOf(v))

\* One change at a time, and none before the leader has committed an entry of its own term.
MayChange(i, change) ==
  LET voters == Voters(log[i])
  IN  /\ role[i] = "leader"
      /\ Changed(voters, change) \notin {voters, {}}
      /\ LatestChange(log[i]) <= commitIndex[i]
      /\ TermAt(i, commitIndex[i]) = currentTerm[i]

\* A change that may not be made is refused, and nothing happens.
Change(i, do, j) ==
  /\ i \in active
  /\ IF MayChange(i, ChangeOf(do, j)) THEN Appended(i, ChangeOf(do, j)) ELSE UNCHANGED vars

\* Everything that is committed goes into the snapshot.
Compact(i) ==
  /\ i \in active
  /\ commitIndex[i] > snapshotIndex[i]
  /\ snapshotIndex' = [snapshotIndex EXCEPT ![i] = commitIndex[i]]
  /\ UNCHANGED <<active, currentTerm, votedFor, log, role, commitIndex, election, leading, net>>

-----------------------------------------------------------------------------
(* Messages. Each is handled by its receiver in one step, with all that comes of it. *)

InFlight(m) == m \in DOMAIN net /\ m.to \in active
IsReceived(m, kind) == m.kind = kind /\ InFlight(m)

\* The receiver becomes s and sends these messages.
Handled(m, s, sent) == Becomes(m.to, s) /\ net' = WithAll(Without(net, m), sent)

HandleRequestVote(m) ==
  LET s     == Heard(ServerOf(m.to), m.term)
      own   == Len(s.log)
      grant == /\ m.term = s.term
               /\ s.vote \in {Nil, m.from}
               /\ \/ m.lastTerm > TermIn(s.log, own)
                  \/ m.lastTerm = TermIn(s.log, own) /\ m.lastIndex >= own
      reply == [kind |-> "RequestVoteResponse", from |-> m.to, to |-> m.from, term |-> s.term, granted |-> grant]
  IN  /\ IsReceived(m, "RequestVoteRequest")
      /\ Handled(m, IF grant THEN [s EXCEPT !.vote = m.from] ELSE s, {reply})

\* Votes are a set, so a vote that arrives twice counts once. Those of an older election count for nothing.
HandleVote(m) ==
  LET s == Heard(ServerOf(m.to), m.term)
      t == [s EXCEPT !.responded = @ \cup {m.from}]
      g == [t EXCEPT !.granted = @ \cup {m.from}]
  IN  /\ IsReceived(m, "RequestVoteResponse")
      /\ IF m.term # s.term \/ s.role # "candidate" THEN Handled(m, s, {})
         ELSE IF m.granted THEN Handled(m, Elected(m.to, g), SentIfElected(m.to, g))
         ELSE Handled(m, t, {})

\* The log after entries were found to follow its first prev entries. What agrees already is not touched.
MergedWith(old, prev, es) ==
  IF prev + Len(es) <= Len(old) /\ \A k \in 1..Len(es) : old[prev + k].term = es[k].term
  THEN old
  ELSE SubSeq(old, 1, prev) \o es

\* Entries that fit are answered. (A configuration can put something wrong in its place.)
Accepted(m, s, reply) == Handled(m, s, reply)

HandleAppend(m) ==
  LET s     == Heard(ServerOf(m.to), m.term)
      f     == Follower(s, s.term)
      last  == m.prevIndex + Len(m.entries)
      fits  == \/ m.prevIndex <= f.snapshot
               \/ m.prevIndex <= Len(f.log) /\ TermIn(f.log, m.prevIndex) = m.prevTerm
      reply == [kind |-> "AppendEntriesResponse", from |-> m.to, to |-> m.from, term |-> s.term]
  IN  /\ IsReceived(m, "AppendEntriesRequest")
      /\ IF m.term < s.term
         THEN Handled(m, s, {reply @@ [success |-> FALSE, index |-> 0]})
         ELSE IF fits
         THEN Accepted(m, [f EXCEPT !.log = MergedWith(@, m.prevIndex, m.entries), !.commit = Max(@, Min(m.commit, last))],
                       {reply @@ [success |-> TRUE, index |-> last]})
         ELSE Handled(m, f, {reply @@ [success |-> FALSE, index |-> Min(Len(f.log), m.prevIndex - 1)]})

\* What is known to match never shrinks. What is new is answered with the next entry, if there is one.
Progressed(m, success) ==
  LET i == m.to
      j == m.from
      s == Heard(ServerOf(i), m.term)
      t == IF success
           THEN [s EXCEPT !.match[j] = Max(@, m.index), !.next[j] = Max(@, m.index + 1)]
           ELSE [s EXCEPT !.next[j] = Max(s.match[j], Min(m.index, @ - 1)) + 1]
      c == Committed(i, t)
      more == /\ c.role = "leader"
              /\ j \in Peers(i, c)
              /\ t # s
              /\ t.next[j] <= Len(t.log)
  IN  IF m.term # s.term \/ s.role # "leader" THEN Handled(m, s, {})
      ELSE Handled(m, c, IF more THEN {AppendTo(i, c, j)} ELSE {})

HandleAppendResponse(m) == IsReceived(m, "AppendEntriesResponse") /\ Progressed(m, m.success)

\* A snapshot that brings nothing new is ignored, but answered. If the log has its last entry, what follows stays.
HandleSnapshot(m) ==
  LET s     == Heard(ServerOf(m.to), m.term)
      f     == Follower(s, s.term)
      k     == Len(m.snapshot)
      kept  == k <= Len(f.log) /\ TermIn(f.log, k) = m.snapshot[k].term
      t     == IF k <= f.commit THEN f
               ELSE [f EXCEPT !.commit = k, !.snapshot = k, !.log = IF kept THEN @ ELSE m.snapshot]
      reply == [kind |-> "InstallSnapshotResponse", from |-> m.to, to |-> m.from, term |-> s.term]
  IN  /\ IsReceived(m, "InstallSnapshotRequest")
      /\ IF m.term < s.term
         THEN Handled(m, s, {reply @@ [index |-> 0]})
         ELSE Handled(m, t, {reply @@ [index |-> t.commit]})

HandleSnapshotResponse(m) == IsReceived(m, "InstallSnapshotResponse") /\ Progressed(m, TRUE)

-----------------------------------------------------------------------------
(* Faults. Crash and Restart are Raft's. What is under way to a server that is down waits for it. *)

Lose(m)   == InFlight(m) /\ Drop(m)
Repeat(m) == InFlight(m) /\ Duplicate(m)

-----------------------------------------------------------------------------
\* Data are distinct: no value is asked for twice.
Unused(v) == \A i \in Server : \A k \in 1..Len(log[i]) : log[i][k].value # PutOf(v)

NextPlanted ==
  \/ \E i \in Server : Campaign(i)
  \/ \E m \in DOMAIN net : HandleRequestVote(m)
  \/ \E m \in DOMAIN net : HandleVote(m)
  \/ \E m \in DOMAIN net : HandleAppend(m)
  \/ \E m \in DOMAIN net : HandleAppendResponse(m)
  \/ \E m \in DOMAIN net : HandleSnapshot(m)
  \/ \E m \in DOMAIN net : HandleSnapshotResponse(m)
  \/ "heartbeat" \in Also /\ \E i \in Server : Heartbeat(i)
  \/ "request" \in Also /\ \E i \in Server, v \in {v \in Value : Unused(v)} : Request(i, v)
  \/ "change" \in Also /\ \E i \in {i \in Server : role[i] = "leader"}, j \in Server : Change(i, "remove", j)
  \/ "compact" \in Also /\ \E i \in Server : Compact(i)
  \/ "crash" \in Also /\ \E i \in Server : Crash(i)
  \/ \E i \in Server : Restart(i)
  \/ "lose" \in Also /\ \E m \in DOMAIN net : Lose(m)
  \/ "repeat" \in Also /\ \E m \in DOMAIN net : Repeat(m)

\* Server t alone runs for term t: for configurations that are about replication and would be too large otherwise.
InTurn == \A i \in Server : votedFor[i] = i => currentTerm[i] = i

SpecPlanted == Init /\ [][NextPlanted]_vars

PlantedTypeOK ==
  /\ active \subseteq Server
  /\ \A i \in Server :
       /\ role[i] \in {"follower", "candidate", "leader"}
       /\ votedFor[i] \in Server \cup {Nil}
       /\ snapshotIndex[i] <= commitIndex[i] /\ commitIndex[i] <= Len(log[i])
       /\ votesGranted[i] \subseteq votesResponded[i]
       /\ role[i] # "candidate" => votesResponded[i] = {}
       /\ \A j \in Server : matchIndex[i][j] < nextIndex[i][j]
  /\ \A m \in DOMAIN net : net[m] > 0 /\ m.from # m.to
=============================================================================
