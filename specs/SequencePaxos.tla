---------------------------- MODULE SequencePaxos ----------------------------
(***************************************************************************)
(* Sequence Paxos, the replicated log of OmniPaxos, as implementations     *)
(* have it: a leader prepares, learns from promises what may have been     *)
(* chosen, brings followers to its log with an AcceptSync, and sends what  *)
(* comes later as AcceptDecides, numbered so that a gap is noticed.        *)
(*                                                                         *)
(*  - One action for one thing that a tester sees or does: a server that   *)
(*    is elected, a request, a message handled, a session that breaks and  *)
(*    comes back, a crash, a restart.                                      *)
(*  - Who is elected, and when, is not modelled: any server may be, with   *)
(*    a ballot of its own above all that it knows of.                      *)
(*  - Links are sessions: first in, first out; when one breaks, everything *)
(*    under way on it is lost, and both ends are told when it is back.     *)
(*  - The bounds are a CONSTRAINT. No action knows of them.                *)
(*                                                                         *)
(* Promise, accepted round, log and decided index survive a crash.         *)
(* A ballot is a number: round * Width + server.                           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  Server,       \* the servers: numbers from 1 on
  Value,        \* what clients ask for
  MaxRound,     \* bounds, see `Bounded`
  MaxLog,
  MaxNet,
  MaxSession,
  MaxDown,
  KeepsDecided  \* TRUE; with FALSE, an AcceptSync sets the decided index back: a bug that a release of omnipaxos had

VARIABLES
  up,        \* the servers that run
  promised,  \* server -> the ballot that it has promised
  accepted,  \* server -> the ballot in which it last accepted its log
  log,       \* server -> sequence of values
  decided,   \* server -> how many of them it knows to be decided
  role,      \* server -> "follower" or "leader"
  phase,     \* server -> "none", "prepare", "accept" or "recover"
  leading,   \* server -> what it knows as a leader, see `Fresh`
  seen,      \* server -> the number of the last message that it accepted from its leader
  waiting,   \* server -> values that it could not hand to a leader yet
  net        \* <<from, to>> -> messages under way

durable == <<promised, accepted, log, decided>>
local   == <<role, phase, leading, seen, waiting>>
vars == <<up, durable, local, net>>

-----------------------------------------------------------------------------
(* Small things *)

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b
Largest(S) == CHOOSE k \in S : \A l \in S : l <= k

Width == Largest(Server) + 1
Ballot(round, i) == round * Width + i
LeaderOf(b) == b % Width
RoundOf(b) == b \div Width

\* More than half of the servers. (A configuration can put something wrong in its place.)
IsQuorum(S) == 2 * Cardinality(S) > Cardinality(Server)
IsOne(S) == S # {}

Peers(i) == Server \ {i}
Links == {<<i, j>> \in Server \X Server : i # j}
\* The servers in the order of their numbers: that is how messages to several are sent.
RECURSIVE Ordered(_)
Ordered(S) == IF S = {} THEN <<>> ELSE LET k == Largest(S) IN Append(Ordered(S \ {k}), k)
ToEach(S, Message(_)) == [k \in 1..Cardinality(S) |-> Message(Ordered(S)[k])]

\* The numbers of messages: a session, and a place in it.
First == <<0, 0>>
Follows(s, t) == t[1] = s[1] /\ t[2] = s[2] + 1
IsOld(s, t) == t[1] < s[1] \/ (t[1] = s[1] /\ t[2] <= s[2])

PrepareReqTo(i, j) == [kind |-> "PrepareReq", from |-> i, to |-> j, ballot |-> promised[i]]

(* The network: messages are sent in order, and those to a server that is down are lost. *)
RECURSIVE With(_, _)
With(n, ms) ==
  IF ms = <<>> THEN n
  ELSE LET m == Head(ms)
       IN  With(IF m.to \in up THEN [n EXCEPT ![<<m.from, m.to>>] = Append(@, m)] ELSE n, Tail(ms))
Without(n, m) == [n EXCEPT ![<<m.from, m.to>>] = Tail(@)]
IsNext(m) == net[<<m.from, m.to>>] # <<>> /\ Head(net[<<m.from, m.to>>]) = m
\* i, which is back, and those of S ask each other to be prepared.
Asked(n, i, S) ==
  [l \in Links |-> IF l[1] = i /\ l[2] \in S THEN <<PrepareReqTo(i, l[2])>>
                    ELSE IF l[2] = i /\ l[1] \in S THEN <<PrepareReqTo(l[1], i)>>
                    ELSE n[l]]
Cleared(n, S) == [l \in Links |-> IF l \in S THEN <<>> ELSE n[l]]

Send(ms) == net' = With(net, ms)
Answer(m, ms) == net' = With(Without(net, m), ms)
Deliverable(m, kind) == m.kind = kind /\ m.to \in up /\ IsNext(m)

-----------------------------------------------------------------------------
(* What a leader knows *)

None == [is |-> "none"]
Higher == [is |-> "higher"]
Given(round, len, dec) == [is |-> "given", round |-> round, len |-> len, decided |-> dec]

\* For a ballot b: who has promised what; the best promise, and what it brings; how far logs are accepted; the numbers of the
\* last messages sent to each.
Fresh(b) ==
  [ballot |-> b, promises |-> [j \in Server |-> None], best |-> [round |-> 0, len |-> 0], sync |-> <<>>,
   lens |-> [j \in Server |-> 0], sent |-> [j \in Server |-> First]]

Promisers(l) == {j \in Server : l.promises[j].is = "given"}
Followers(i, l) == Promisers(l) \ {i}

\* l with a promise of j: it is the best one if its log was accepted in a later round, or is longer.
Promise(l, j, p, sync) ==
  LET isBest == p.round > l.best.round \/ (p.round = l.best.round /\ p.len > l.best.len)
  IN  [l EXCEPT !.promises[j] = p,
                !.best = IF isBest THEN [round |-> p.round, len |-> p.len] ELSE @,
                !.sync = IF isBest THEN sync ELSE @]

\* A log that is changed from some place on; as it is if there is nothing to change.
Synced(l, sync) == IF sync = <<>> THEN l ELSE SubSeq(l, 1, Min(sync[1].at, Len(l))) \o sync[1].suffix
SyncFrom(l, at) == <<[at |-> at, suffix |-> SubSeq(l, at + 1, Len(l))]>>

PrepareTo(i, j, l) ==
  [kind |-> "Prepare", from |-> i, to |-> j, ballot |-> l.ballot, round |-> accepted[i], len |-> Len(log[i]),
   decided |-> decided[i]]

\* The next message number for each of S; a new session begins with 1.
Counted(l, S) == [l EXCEPT !.sent = [j \in Server |-> IF j \in S THEN <<@[j][1], @[j][2] + 1>> ELSE @[j]]]
NewSession(l, S) == [l EXCEPT !.sent = [j \in Server |-> IF j \in S THEN <<@[j][1] + 1, 1>> ELSE @[j]]]

\* What brings j to the leader i's log, which is given: what j has accepted in the same round as the best promise is right.
AcceptSyncTo(i, j, l, entries, dec) ==
  LET p == l.promises[j]
      at == IF p.round = l.ballot THEN p.len
            ELSE IF p.round = l.best.round THEN Min(l.best.len, p.len)
            ELSE p.decided
  IN  [kind |-> "AcceptSync", from |-> i, to |-> j, ballot |-> l.ballot, seq |-> l.sent[j], decided |-> dec,
       sync |-> SyncFrom(entries, at)]

-----------------------------------------------------------------------------
Init ==
  /\ up = Server
  /\ promised = [i \in Server |-> 0]
  /\ accepted = [i \in Server |-> 0]
  /\ log = [i \in Server |-> <<>>]
  /\ decided = [i \in Server |-> 0]
  /\ role = [i \in Server |-> "follower"]
  /\ phase = [i \in Server |-> "none"]
  /\ leading = [i \in Server |-> Fresh(0)]
  /\ seen = [i \in Server |-> First]
  /\ waiting = [i \in Server |-> <<>>]
  /\ net = [l \in Links |-> <<>>]

-----------------------------------------------------------------------------
(* Elections, and the prepare phase *)

\* What i knows as a leader that begins with ballot b: its own promise.
Begun(i, b) == Promise(Fresh(b), i, Given(accepted[i], Len(log[i]), decided[i]), <<>>)

\* i leads with ballot b, and sends these.
Lead(i, b, ms) ==
  /\ i \in up
  /\ LeaderOf(b) = i
  /\ b > promised[i]
  /\ b > leading[i].ballot
  /\ promised' = [promised EXCEPT ![i] = b]
  /\ role' = [role EXCEPT ![i] = "leader"]
  /\ phase' = [phase EXCEPT ![i] = "prepare"]
  /\ leading' = [leading EXCEPT ![i] = Begun(i, b)]
  /\ Send(ms)
  /\ UNCHANGED <<up, accepted, log, decided, seen, waiting>>

\* What i asks of all others then.
Prepares(i, b) == LET l == Begun(i, b) IN ToEach(Peers(i), LAMBDA j : PrepareTo(i, j, l))

\* The election has chosen i, with ballot b.
Elect(i, b) == Lead(i, b, Prepares(i, b))

\* Somebody asks to be prepared (again).
HandlePrepareReq(m) ==
  LET i == m.to
  IN  /\ Deliverable(m, "PrepareReq")
      /\ IF role[i] = "leader" /\ m.ballot <= leading[i].ballot
         THEN /\ leading' = [leading EXCEPT ![i].promises[m.from] = None]
              /\ Answer(m, <<PrepareTo(i, m.from, leading[i])>>)
         ELSE leading' = leading /\ Answer(m, <<>>)
      /\ UNCHANGED <<up, durable, role, phase, seen, waiting>>

\* Whether i, asked by the Prepare m, promises.
Promises(i, m) == promised[i] < m.ballot \/ (promised[i] = m.ballot /\ phase[i] = "recover")

\* With what: what the leader lacks, if i is more up to date.
PromiseTo(i, m) ==
  LET sync == IF accepted[i] > m.round THEN SyncFrom(log[i], m.decided)
              ELSE IF accepted[i] = m.round /\ Len(log[i]) > m.len THEN SyncFrom(log[i], m.len)
              ELSE <<>>
  IN  [kind |-> "Promise", from |-> i, to |-> m.from, ballot |-> m.ballot, round |-> accepted[i], len |-> Len(log[i]),
       decided |-> decided[i], sync |-> sync]

HandlePrepare(m) ==
  LET i == m.to
  IN  /\ Deliverable(m, "Prepare")
      /\ IF Promises(i, m)
         THEN /\ promised' = [promised EXCEPT ![i] = m.ballot]
              /\ role' = [role EXCEPT ![i] = "follower"]
              /\ phase' = [phase EXCEPT ![i] = "prepare"]
              /\ seen' = [seen EXCEPT ![i] = First]
              /\ Answer(m, <<PromiseTo(i, m)>>)
         ELSE UNCHANGED <<promised, role, phase, seen>> /\ Answer(m, <<>>)
      /\ UNCHANGED <<up, accepted, log, decided, leading, waiting>>

\* With the promises of a quorum the leader i takes over the best log, adds what waited, and brings followers to it.
BeginAccept(i, m, l) ==
  LET entries == Synced(log[i], l.sync) \o waiting[i]
      dec == Max(decided[i], Largest({l.promises[j].decided : j \in Promisers(l)}))
      more == NewSession([l EXCEPT !.lens[i] = Len(entries), !.sync = <<>>], Followers(i, l))
  IN  /\ log' = [log EXCEPT ![i] = entries]
      /\ accepted' = [accepted EXCEPT ![i] = l.ballot]
      /\ decided' = [decided EXCEPT ![i] = dec]
      /\ waiting' = [waiting EXCEPT ![i] = <<>>]
      /\ phase' = [phase EXCEPT ![i] = "accept"]
      /\ leading' = [leading EXCEPT ![i] = more]
      /\ Answer(m, ToEach(Followers(i, l), LAMBDA j : AcceptSyncTo(i, j, more, entries, dec)))

HandlePromise(m) ==
  LET i == m.to
      p == Given(m.round, m.len, m.decided)
      best == Promise(leading[i], m.from, p, m.sync)
      late == NewSession([leading[i] EXCEPT !.promises[m.from] = p], {m.from})
      isMine == role[i] = "leader" /\ m.ballot = leading[i].ballot
  IN  /\ Deliverable(m, "Promise")
      /\ IF isMine /\ phase[i] = "prepare" /\ IsQuorum(Promisers(best))
         THEN BeginAccept(i, m, best)
         ELSE /\ UNCHANGED <<accepted, log, decided, waiting, phase>>
              /\ IF isMine /\ phase[i] = "prepare"
                 THEN leading' = [leading EXCEPT ![i] = best] /\ Answer(m, <<>>)
                 ELSE IF isMine /\ phase[i] = "accept"
                 THEN /\ leading' = [leading EXCEPT ![i] = late]
                      /\ Answer(m, <<AcceptSyncTo(i, m.from, late, log[i], decided[i])>>)
                 ELSE leading' = leading /\ Answer(m, <<>>)
      /\ UNCHANGED <<up, promised, role, seen>>

-----------------------------------------------------------------------------
(* The accept phase *)

\* The leader i, in its accept phase, appends these.
Extend(i, vs, SendTo(_)) ==
  LET more == Counted([leading[i] EXCEPT !.lens[i] = Len(log[i]) + Len(vs)], Followers(i, leading[i]))
  IN  /\ log' = [log EXCEPT ![i] = @ \o vs]
      /\ leading' = [leading EXCEPT ![i] = more]
      /\ SendTo(ToEach(Followers(i, more),
           LAMBDA j : [kind |-> "AcceptDecide", from |-> i, to |-> j, ballot |-> more.ballot, seq |-> more.sent[j],
                       decided |-> decided[i], entries |-> vs]))

\* i has these to propose: it appends them, hands them to the leader that it knows, or lets them wait.
Propose(i, vs, SendTo(_)) ==
  LET leader == LeaderOf(promised[i])
  IN  IF role[i] = "leader" /\ phase[i] = "accept"
      THEN Extend(i, vs, SendTo) /\ UNCHANGED waiting
      ELSE /\ UNCHANGED <<log, leading>>
           /\ IF role[i] # "leader" /\ leader # 0 /\ leader # i
              THEN /\ waiting' = waiting
                   /\ SendTo(<<[kind |-> "ProposalForward", from |-> i, to |-> leader, entries |-> vs]>>)
              ELSE waiting' = [waiting EXCEPT ![i] = @ \o vs] /\ SendTo(<<>>)

ClientRequest(i, v) ==
  /\ i \in up
  /\ Propose(i, <<v>>, Send)
  /\ UNCHANGED <<up, promised, accepted, decided, role, phase, seen>>

HandleProposalForward(m) ==
  /\ Deliverable(m, "ProposalForward")
  /\ Propose(m.to, m.entries, LAMBDA ms : Answer(m, ms))
  /\ UNCHANGED <<up, promised, accepted, decided, role, phase, seen>>

\* The ballot of m is not the one that i has promised: the sender is told, or asked to prepare.
Refuse(i, m) ==
  IF promised[i] > m.ballot
  THEN /\ UNCHANGED <<role, phase>>
       /\ Answer(m, <<[kind |-> "NotAccepted", from |-> i, to |-> LeaderOf(m.ballot), ballot |-> promised[i]]>>)
  ELSE /\ IF LeaderOf(promised[i]) = LeaderOf(m.ballot)
          THEN role' = [role EXCEPT ![i] = "follower"] /\ phase' = [phase EXCEPT ![i] = "recover"]
          ELSE UNCHANGED <<role, phase>>
       /\ Answer(m, <<PrepareReqTo(i, LeaderOf(m.ballot))>>)

HandleAcceptSync(m) ==
  LET i == m.to
      entries == Synced(log[i], m.sync)
      reply == [kind |-> "Accepted", from |-> i, to |-> m.from, ballot |-> m.ballot, len |-> Len(entries)]
      leader == LeaderOf(promised[i])
      forward == [kind |-> "ProposalForward", from |-> i, to |-> leader, entries |-> waiting[i]]
  IN  /\ Deliverable(m, "AcceptSync")
      /\ IF promised[i] = m.ballot /\ role[i] = "follower" /\ phase[i] = "prepare"
         THEN /\ accepted' = [accepted EXCEPT ![i] = m.ballot]
              /\ log' = [log EXCEPT ![i] = entries]
              /\ decided' = [decided EXCEPT ![i] = IF KeepsDecided THEN Max(@, m.decided) ELSE m.decided]
              /\ phase' = [phase EXCEPT ![i] = "accept"]
              /\ seen' = [seen EXCEPT ![i] = m.seq]
              /\ waiting' = [waiting EXCEPT ![i] = <<>>]
              /\ role' = role
              /\ Answer(m, IF waiting[i] = <<>> THEN <<reply>> ELSE <<forward, reply>>)
         ELSE /\ UNCHANGED <<accepted, log, decided, seen, waiting>>
              /\ IF promised[i] = m.ballot THEN UNCHANGED <<role, phase>> /\ Answer(m, <<>>) ELSE Refuse(i, m)
      /\ UNCHANGED <<up, promised, leading>>

\* i gets, in its accept phase, entries and a decided index from the leader that it has promised. Messages that come twice change
\* nothing; one that comes too early means that something is lost, and i asks to be prepared.
Accept(i, m, entries) ==
  IF promised[i] # m.ballot
  THEN UNCHANGED <<log, decided, seen>> /\ Refuse(i, m)
  ELSE IF phase[i] # "accept" \/ IsOld(seen[i], m.seq)
  THEN UNCHANGED <<log, decided, seen, role, phase>> /\ Answer(m, <<>>)
  ELSE IF ~Follows(seen[i], m.seq)
  THEN /\ UNCHANGED <<log, decided, seen>>
       /\ role' = [role EXCEPT ![i] = "follower"]
       /\ phase' = [phase EXCEPT ![i] = "recover"]
       /\ Answer(m, <<PrepareReqTo(i, m.from)>>)
  ELSE LET more == log[i] \o entries
           reply == [kind |-> "Accepted", from |-> i, to |-> m.from, ballot |-> m.ballot, len |-> Len(more)]
       IN  /\ log' = [log EXCEPT ![i] = more]
           /\ decided' = [decided EXCEPT ![i] = Max(@, Min(m.decided, Len(more)))]
           /\ seen' = [seen EXCEPT ![i] = m.seq]
           /\ UNCHANGED <<role, phase>>
           /\ Answer(m, IF entries = <<>> THEN <<>> ELSE <<reply>>)

HandleAcceptDecide(m) ==
  /\ Deliverable(m, "AcceptDecide")
  /\ Accept(m.to, m, m.entries)
  /\ UNCHANGED <<up, promised, accepted, leading, waiting>>

HandleDecide(m) ==
  /\ Deliverable(m, "Decide")
  /\ Accept(m.to, m, <<>>)
  /\ UNCHANGED <<up, promised, accepted, leading, waiting>>

HandleAccepted(m) ==
  LET i == m.to
      l == [leading[i] EXCEPT !.lens[m.from] = m.len]
      more == Counted(l, Followers(i, l))
  IN  /\ Deliverable(m, "Accepted")
      /\ IF role[i] = "leader" /\ phase[i] = "accept" /\ m.ballot = leading[i].ballot
         THEN IF m.len > decided[i] /\ IsQuorum({j \in Server : l.lens[j] >= m.len})
              THEN /\ decided' = [decided EXCEPT ![i] = m.len]
                   /\ leading' = [leading EXCEPT ![i] = more]
                   /\ Answer(m, ToEach(Followers(i, l),
                        LAMBDA j : [kind |-> "Decide", from |-> i, to |-> j, ballot |-> l.ballot, seq |-> more.sent[j],
                                    decided |-> m.len]))
              ELSE decided' = decided /\ leading' = [leading EXCEPT ![i] = l] /\ Answer(m, <<>>)
         ELSE UNCHANGED <<decided, leading>> /\ Answer(m, <<>>)
      /\ UNCHANGED <<up, promised, accepted, log, role, phase, seen, waiting>>

HandleNotAccepted(m) ==
  LET i == m.to
  IN  /\ Deliverable(m, "NotAccepted")
      /\ leading' = IF role[i] = "leader" /\ leading[i].ballot < m.ballot
                    THEN [leading EXCEPT ![i].promises[m.from] = Higher]
                    ELSE leading
      /\ Answer(m, <<>>)
      /\ UNCHANGED <<up, durable, role, phase, seen, waiting>>

-----------------------------------------------------------------------------
(* Faults *)

\* The servers of S are told that their sessions with the others in pairs are back: a follower of the other end has to catch up.
Recovering(pairs) == {i \in Server : \E p \in pairs : p[1] = i /\ LeaderOf(promised[i]) = p[2]}

\* The session of i and j breaks, and is there again.
Reconnect(i, j) ==
  LET back == Recovering({<<i, j>>, <<j, i>>})
  IN  /\ i \in up /\ j \in up /\ i < j
      /\ role' = [k \in Server |-> IF k \in back THEN "follower" ELSE role[k]]
      /\ phase' = [k \in Server |-> IF k \in back THEN "recover" ELSE phase[k]]
      /\ net' = With(Cleared(net, {<<i, j>>, <<j, i>>}), <<PrepareReqTo(i, j), PrepareReqTo(j, i)>>)
      /\ UNCHANGED <<up, durable, leading, seen, waiting>>

Crash(i) ==
  /\ i \in up
  /\ up' = up \ {i}
  /\ role' = [role EXCEPT ![i] = "follower"]
  /\ phase' = [phase EXCEPT ![i] = "none"]
  /\ leading' = [leading EXCEPT ![i] = Fresh(0)]
  /\ seen' = [seen EXCEPT ![i] = First]
  /\ waiting' = [waiting EXCEPT ![i] = <<>>]
  /\ net' = Cleared(net, {l \in Links : i \in {l[1], l[2]}})
  /\ UNCHANGED durable

\* i comes back with what is on its disk, and so do its sessions with those of S.
RestartAmong(i, S) ==
  LET back == Recovering({<<j, i>> : j \in S})
  IN  /\ up' = up \cup {i}
      /\ role' = [k \in Server |-> IF k \in back THEN "follower" ELSE role[k]]
      /\ phase' = [k \in Server |-> IF k \in back \cup {i} THEN "recover" ELSE phase[k]]
      /\ leading' = [leading EXCEPT ![i] = Fresh(promised[i])]
      /\ net' = Asked(net, i, S)
      /\ UNCHANGED <<durable, seen, waiting>>

Restart(i) == i \notin up /\ RestartAmong(i, up)

-----------------------------------------------------------------------------
Heads == {Head(net[l]) : l \in {l \in Links : net[l] # <<>>}}

\* Without faults.
Calm ==
  \/ \E i \in Server : \E r \in 1..MaxRound : Elect(i, Ballot(r, i))
  \/ \E i \in Server : \E v \in Value : ClientRequest(i, v)
  \/ \E m \in Heads : HandlePrepareReq(m)
  \/ \E m \in Heads : HandlePrepare(m)
  \/ \E m \in Heads : HandlePromise(m)
  \/ \E m \in Heads : HandleAcceptSync(m)
  \/ \E m \in Heads : HandleAcceptDecide(m)
  \/ \E m \in Heads : HandleDecide(m)
  \/ \E m \in Heads : HandleAccepted(m)
  \/ \E m \in Heads : HandleNotAccepted(m)
  \/ \E m \in Heads : HandleProposalForward(m)

Next ==
  \/ Calm
  \/ \E i \in Server : \E j \in Server : Reconnect(i, j)
  \/ \E i \in Server : Crash(i)
  \/ \E i \in Server : Restart(i)

Spec == Init /\ [][Next]_vars
CalmSpec == Init /\ [][Calm]_vars

\* No longer logs, links and sessions than these, and no more servers down.
Bounded ==
  /\ Cardinality(Server \ up) <= MaxDown
  /\ \A i \in Server : Len(log[i]) + Len(waiting[i]) <= MaxLog
  /\ \A l \in Links : Len(net[l]) <= MaxNet
  /\ \A i \in Server : \A j \in Server : leading[i].sent[j][1] <= MaxSession

-----------------------------------------------------------------------------
(* What holds *)

TypeOK ==
  /\ up \subseteq Server
  /\ \A i \in Server :
       /\ promised[i] \in Nat /\ accepted[i] \in Nat
       /\ accepted[i] <= promised[i]
       /\ decided[i] <= Len(log[i])
       /\ role[i] \in {"follower", "leader"}
       /\ phase[i] \in {"none", "prepare", "accept", "recover"}

DecidedBy(i) == SubSeq(log[i], 1, decided[i])
IsPrefix(s, t) == Len(s) <= Len(t) /\ SubSeq(t, 1, Len(s)) = s

\* No two servers decide differently.
Agreement == \A i, j \in Server : IsPrefix(DecidedBy(i), DecidedBy(j)) \/ IsPrefix(DecidedBy(j), DecidedBy(i))

\* What is decided is chosen: a quorum has it.
DecidedIsChosen ==
  \A i \in Server : IsQuorum({j \in Server : IsPrefix(DecidedBy(i), log[j])})

\* A decided index never goes back.
DecidedNeverGoesBack == [][\A i \in Server : decided'[i] >= decided[i]]_vars
=============================================================================
