--------------------------- MODULE OmniPaxosCrate ---------------------------
(***************************************************************************)
(* Sequence Paxos at the grain of the crate omnipaxos 0.2.4: one action    *)
(* for one step of an implementation, with all that it sends.              *)
(*                                                                         *)
(*  - Servers send each other no heartbeats. A server leads because it is  *)
(*    asked to (AskToLead), or because its clock goes on (Tick) and it     *)
(*    takes itself for the leader, as each does that boots and has         *)
(*    promised nothing.                                                    *)
(*  - A tick also sends again what seems lost: a leader's Prepares, a      *)
(*    follower's Promise, and the request to be prepared.                  *)
(*  - Links break (Cut) and come back (Heal), one by one. While one is     *)
(*    cut, what is sent on it is lost; then both ends are told.            *)
(*  - The bounds are a CONSTRAINT, or leave actions out of the model: who  *)
(*    is asked to lead, whose clock goes on, and so on.                    *)
(***************************************************************************)
EXTENDS SequencePaxos

CONSTANTS
  Leads,    \* the servers that may be asked to lead
  Ticks,    \* the servers whose clocks may go on
  Asks,     \* the servers that clients ask
  Stops,    \* the servers that may crash
  Breaks,   \* the links that may be cut, as sets of two servers
  MaxTotal  \* how many messages may be under way

VARIABLES
  cuts,     \* the links that are cut
  ble,      \* server -> what it knows of the election: its own ballot, and the leader's
  kept      \* server -> the promise that it sends again, as a sequence of none or one

crateVars == <<vars, cuts, ble, kept>>

-----------------------------------------------------------------------------
(* The network *)

\* What is sent to a server that is down, or on a link that is cut, is lost. Configurations put this in the place of With.
RECURSIVE Carried(_, _)
Carried(n, ms) ==
  IF ms = <<>> THEN n
  ELSE LET m == Head(ms)
           arrives == m.to \in up /\ {m.from, m.to} \notin cuts
       IN  Carried(IF arrives THEN [n EXCEPT ![<<m.from, m.to>>] = Append(@, m)] ELSE n, Tail(ms))

\* A promise is sent again only in the prepare phase that it began.
Keep ==
  kept' = [i \in Server |-> IF role'[i] = "follower" /\ phase'[i] = "prepare" THEN kept[i] ELSE <<>>]

-----------------------------------------------------------------------------
(* The clock *)

\* A server that has promised nothing takes itself for the leader when it boots.
AtFirst(i) == [mine |-> Ballot(1, i), leader |-> Ballot(1, i)]
\* One that has promised something waits for others.
Again(i) == [mine |-> Ballot(0, i), leader |-> promised[i]]

\* What the election of i knows after a tick: it follows what was promised.
Looked(i) ==
  IF promised[i] > ble[i].leader
  THEN [mine |-> IF LeaderOf(promised[i]) = i THEN promised[i] ELSE ble[i].mine, leader |-> promised[i]]
  ELSE ble[i]

\* What i sends again.
Repeated(i) ==
  IF role[i] = "leader"
  THEN ToEach({j \in Peers(i) : leading[i].promises[j].is = "none"}, LAMBDA j : PrepareTo(i, j, leading[i]))
  ELSE CASE phase[i] = "prepare" -> kept[i]
         [] phase[i] = "recover" -> ToEach(Peers(i), LAMBDA j : PrepareReqTo(i, j))
         [] OTHER -> <<>>

\* The clock of i goes on. Who leads from now on sends its Prepares twice: nobody can have promised yet.
Tick(i) ==
  LET b == Looked(i)
  IN  /\ i \in up
      /\ ble' = [ble EXCEPT ![i] = b]
      /\ IF b.leader = b.mine /\ b.mine > promised[i]
         THEN Lead(i, b.mine, Prepares(i, b.mine) \o Prepares(i, b.mine)) /\ Keep
         ELSE /\ Send(Repeated(i))
              /\ UNCHANGED <<up, durable, local, kept>>
      /\ UNCHANGED cuts

-----------------------------------------------------------------------------
(* Messages *)

Besides == Keep /\ UNCHANGED <<cuts, ble>>

ReceivePrepareReq(m) == HandlePrepareReq(m) /\ Besides
ReceivePrepare(m) ==
  /\ HandlePrepare(m)
  /\ kept' = IF Promises(m.to, m) THEN [kept EXCEPT ![m.to] = <<PromiseTo(m.to, m)>>] ELSE kept
  /\ UNCHANGED <<cuts, ble>>
ReceivePromise(m) == HandlePromise(m) /\ Besides
ReceiveAcceptSync(m) == HandleAcceptSync(m) /\ Besides
ReceiveAcceptDecide(m) == HandleAcceptDecide(m) /\ Besides
ReceiveDecide(m) == HandleDecide(m) /\ Besides
ReceiveAccepted(m) == HandleAccepted(m) /\ Besides
ReceiveNotAccepted(m) == HandleNotAccepted(m) /\ Besides
ReceiveProposalForward(m) == HandleProposalForward(m) /\ Besides

-----------------------------------------------------------------------------
(* What is done to servers *)

\* i is asked to become the leader.
AskToLead(i) ==
  LET b == Ballot(RoundOf(promised[i]) + 1, i)
  IN  Lead(i, b, Prepares(i, b)) /\ Besides

Request(i, v) == ClientRequest(i, v) /\ Besides

Cut(i, j) ==
  /\ i < j /\ {i, j} \notin cuts
  /\ cuts' = cuts \cup {{i, j}}
  /\ net' = Cleared(net, {<<i, j>>, <<j, i>>})
  /\ UNCHANGED <<up, durable, local, ble, kept>>

Heal(i, j) ==
  LET both == i \in up /\ j \in up
      back == IF both THEN Recovering({<<i, j>>, <<j, i>>}) ELSE {}
  IN  /\ i < j /\ {i, j} \in cuts
      /\ cuts' = cuts \ {{i, j}}
      /\ role' = [k \in Server |-> IF k \in back THEN "follower" ELSE role[k]]
      /\ phase' = [k \in Server |-> IF k \in back THEN "recover" ELSE phase[k]]
      /\ net' = IF both
                THEN [net EXCEPT ![<<i, j>>] = <<PrepareReqTo(i, j)>>, ![<<j, i>>] = <<PrepareReqTo(j, i)>>]
                ELSE net
      /\ Keep
      /\ UNCHANGED <<up, durable, leading, seen, waiting, ble>>

\* What a server knew besides its disk is gone.
Stop(i) ==
  /\ Crash(i)
  /\ ble' = [ble EXCEPT ![i] = [mine |-> 0, leader |-> 0]]
  /\ Keep
  /\ UNCHANGED cuts

\* i boots. It asks all to be prepared, also if it has promised nothing yet; then it asks each that it has a session with once
\* more, as they do.
Boot(i) ==
  LET others == {j \in up : {i, j} \notin cuts}
      back == Recovering({<<j, i>> : j \in others})
  IN  /\ i \notin up
      /\ up' = up \cup {i}
      /\ role' = [k \in Server |-> IF k \in back THEN "follower" ELSE role[k]]
      /\ phase' = [k \in Server |-> IF k \in back \cup {i} THEN "recover" ELSE phase[k]]
      /\ leading' = [leading EXCEPT ![i] = Fresh(promised[i])]
      /\ ble' = [ble EXCEPT ![i] = IF promised[i] = 0 THEN AtFirst(i) ELSE Again(i)]
      /\ net' = [l \in Links |-> IF l[1] = i /\ l[2] \in others THEN <<PrepareReqTo(i, l[2]), PrepareReqTo(i, l[2])>>
                                 ELSE IF l[2] = i /\ l[1] \in others THEN <<PrepareReqTo(l[1], i)>>
                                 ELSE net[l]]
      /\ Keep
      /\ UNCHANGED <<durable, seen, waiting, cuts>>

-----------------------------------------------------------------------------
CrateInit ==
  /\ Init
  /\ cuts = {}
  /\ ble = [i \in Server |-> AtFirst(i)]
  /\ kept = [i \in Server |-> <<>>]

\* The other ends, with higher numbers, of the links of i that may be cut.
Beyond(i) == {j \in Server : i < j /\ {i, j} \in Breaks}

CrateNext ==
  \/ \E i \in Ticks : Tick(i)
  \/ \E i \in Leads : AskToLead(i)
  \/ \E i \in Asks : \E v \in Value : Request(i, v)
  \/ \E m \in Heads : ReceivePrepareReq(m)
  \/ \E m \in Heads : ReceivePrepare(m)
  \/ \E m \in Heads : ReceivePromise(m)
  \/ \E m \in Heads : ReceiveAcceptSync(m)
  \/ \E m \in Heads : ReceiveAcceptDecide(m)
  \/ \E m \in Heads : ReceiveDecide(m)
  \/ \E m \in Heads : ReceiveAccepted(m)
  \/ \E m \in Heads : ReceiveNotAccepted(m)
  \/ \E m \in Heads : ReceiveProposalForward(m)
  \/ \E i \in Server : \E j \in Beyond(i) : Cut(i, j)
  \/ \E i \in Server : \E j \in Beyond(i) : Heal(i, j)
  \/ \E i \in Stops : Stop(i)
  \/ \E i \in Stops : Boot(i)

CrateSpec == CrateInit /\ [][CrateNext]_crateVars

\* How many messages are under way.
RECURSIVE Total(_)
Total(S) == IF S = {} THEN 0 ELSE LET l == CHOOSE l \in S : TRUE IN Len(net[l]) + Total(S \ {l})

CrateBounded ==
  /\ Bounded
  /\ Total(Links) <= MaxTotal
  /\ \A i \in Server : RoundOf(promised[i]) <= MaxRound
=============================================================================
