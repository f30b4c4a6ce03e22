------------------------------ MODULE RaftEtcd ------------------------------
(***************************************************************************)
(* Raft at the grain of etcd's library, go.etcd.io/raft/v3 3.7.0, as the   *)
(* target `etcd-raft` runs it. The crate raft is a port of this library,   *)
(* so this module has the rules of module RaftCrate but for those below.   *)
(* Configurations put them in the place of the crate's: all of them for    *)
(* release 3.7 (RaftEtcd-*.cfg), two of them for release 3.5, which is     *)
(* what the crate was ported from (RaftEtcd-*-3.5.cfg).                    *)
(*                                                                         *)
(*  - Vote requests and refusals do not carry a commit index.              *)
(*  - A leader notes the highest commit index that it has sent to a peer   *)
(*    (`sent`). An acknowledgement is answered with an empty append only   *)
(*    if the peer may lack the commit index.                               *)
(*  - An acknowledgement of what is matched already makes a leader that    *)
(*    probes replicate. It never moves the next index.                     *)
(*  - A late rejection never takes the next index back to what is matched. *)
(*  - A snapshot under way moves the next index behind it. An answer from  *)
(*    which the leader's log can go on ends the wait for the snapshot,     *)
(*    whatever its index, and the leader replicates at once.               *)
(*  - A peer that needs a snapshot is sent it with any acknowledgement.    *)
(*  - A leader that probes sends an append after a heartbeat's answer also *)
(*    to a peer that has everything.                                       *)
(***************************************************************************)
EXTENDS RaftCrate

EtcdFlow == [state |-> "probe", paused |-> FALSE, pending |-> 0, heard |-> FALSE, sent |-> 0]

NothingShown(s) == [commit |-> 0, commitTerm |-> 0]

-----------------------------------------------------------------------------
(* What leaders send *)

EtcdSendOne(r, j) ==
  LET s == r.server
      p == s.peers[j]
      snapshot == [p EXCEPT !.state = "snapshot", !.paused = FALSE, !.pending = s.snapshot,
                            !.next = s.snapshot + 1, !.sent = s.snapshot]
      append == [p EXCEPT !.sent = s.commit,
                          !.next = IF p.state = "replicate" /\ p.next <= End(s) THEN @ + 1 ELSE @,
                          !.paused = p.state = "probe" /\ p.next <= End(s)]
  IN  CASE IsPaused(p) -> r
        [] ~IsPaused(p) /\ p.next <= s.snapshot ->
             IF p.heard
             THEN [server |-> [s EXCEPT !.peers[j] = snapshot], out |-> r.out \cup {SnapshotOf(s, j)}]
             ELSE r
        [] OTHER ->
             [server |-> [s EXCEPT !.peers[j] = append], out |-> r.out \cup {AppendOf(s, j, p.next)}]

\* All entries that j lacks, as far as it may be sent them, or the snapshot that it needs.
RECURSIVE EtcdSendRest(_, _)
EtcdSendRest(r, j) ==
  LET p == r.server.peers[j]
      sent == EtcdSendOne(r, j)
  IN  IF p.next > End(r.server) \/ sent.out = r.out THEN r ELSE EtcdSendRest(sent, j)

-----------------------------------------------------------------------------
(* What leaders hear *)

\* Release 3.5: an acknowledged snapshot is followed by replication.
RecoveredAtOnce(p) == [p EXCEPT !.state = "replicate", !.paused = FALSE, !.pending = 0, !.next = p.match + 1]

EtcdRefused(s, m) ==
  LET j == m.from
      p == s.peers[j]
      hint == IF m.hintTerm > 0 THEN Agreeable(s, m.hint, m.hintTerm) ELSE m.hint
      Probes(next) == [p EXCEPT !.next = next, !.sent = Min(@, next - 1), !.paused = FALSE]
  IN  IF p.state = "replicate"
      THEN IF m.index <= p.match THEN Quiet(s)
           ELSE SendOne(Quiet([s EXCEPT !.peers[j] = [Probes(p.match + 1) EXCEPT !.state = "probe"]]), j)
      ELSE IF p.next - 1 # m.index THEN Quiet(s)
      ELSE SendOne(Quiet([s EXCEPT !.peers[j] = Probes(Max(Min(m.index, hint + 1), p.match + 1))]), j)

\* May the peer not know of the leader's commit index, though it has entries for it?
CanBumpCommit(s, p) == s.commit > p.sent /\ p.sent < p.next - 1

EtcdAcknowledged(s, m) ==
  LET j == m.from
      old == s.peers[j]
      p == IF m.index > old.match
           THEN [old EXCEPT !.match = m.index, !.next = Max(@, m.index + 1), !.paused = FALSE] ELSE old
      q == CASE p.state = "probe" -> [p EXCEPT !.state = "replicate", !.paused = FALSE, !.next = p.match + 1]
             [] p.state = "snapshot" /\ p.match >= s.snapshot ->
                  [p EXCEPT !.state = "replicate", !.pending = 0, !.next = p.match + 1,
                            !.sent = Min(@, Max(p.match, p.pending))]
             [] OTHER -> p
      t == [s EXCEPT !.peers[j] = q]
      a == Advanced(t)
      r == IF a.commit > s.commit THEN SendAll(a)
           ELSE IF CanBumpCommit(t, q) THEN SendOne(Quiet(t), j)
           ELSE Quiet(t)
  IN  IF m.index > old.match \/ (m.index = old.match /\ old.state = "probe") THEN SendRest(r, j) ELSE Quiet(s)

\* A heartbeat carries a commit index, which may be below one that was sent before.
EtcdBeaten(p, commit) == [p EXCEPT !.sent = commit]

EtcdLacks(s, j) == s.peers[j].match < End(s) \/ s.peers[j].state = "probe"

-----------------------------------------------------------------------------
\* What the library's comments promise of its book-keeping while a snapshot is under way.
SnapshotNextOK ==
  \A i, j \in Server : flow[i][j].state = "snapshot" => nextIndex[i][j] = flow[i][j].pending + 1

\* Not so in version 3.7.0: a heartbeat sets it to what is matched.
SnapshotSentOK ==
  \A i, j \in Server : flow[i][j].state = "snapshot" => flow[i][j].sent = flow[i][j].pending
=============================================================================
