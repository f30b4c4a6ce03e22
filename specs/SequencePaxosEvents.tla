------------------------- MODULE SequencePaxosEvents -------------------------
(***************************************************************************)
(* Sequence Paxos as a test sees it: one action for one event of an        *)
(* implementation, with what the server showed afterwards. An action is    *)
(* disabled if the server should show something else.                      *)
(*                                                                         *)
(* There is no network: configurations put NoSends, NoReceipt and Always   *)
(* in the place of With, Without and IsNext. A message is what the         *)
(* implementation delivered.                                               *)
(***************************************************************************)
EXTENDS SequencePaxos

NoSends(n, ms) == n
NoReceipt(n, m) == n
Always(m) == TRUE
NobodyAsked(n, i, S) == n

\* What server i shows after the event.
Shows(i, s) ==
  /\ promised'[i] = s.promised
  /\ accepted'[i] = s.accepted
  /\ log'[i] = s.log
  /\ decided'[i] = s.decided

\* i leads, with the ballot that it promises.
Elected(i, s) == Elect(i, s.promised) /\ Shows(i, s)
Requested(i, v, s) == ClientRequest(i, v) /\ Shows(i, s)

PrepareReqHandled(m, s) == HandlePrepareReq(m) /\ Shows(m.to, s)
PrepareHandled(m, s) == HandlePrepare(m) /\ Shows(m.to, s)
PromiseHandled(m, s) == HandlePromise(m) /\ Shows(m.to, s)
AcceptSyncHandled(m, s) == HandleAcceptSync(m) /\ Shows(m.to, s)
AcceptDecideHandled(m, s) == HandleAcceptDecide(m) /\ Shows(m.to, s)
DecideHandled(m, s) == HandleDecide(m) /\ Shows(m.to, s)
AcceptedHandled(m, s) == HandleAccepted(m) /\ Shows(m.to, s)
NotAcceptedHandled(m, s) == HandleNotAccepted(m) /\ Shows(m.to, s)
ProposalForwardHandled(m, s) == HandleProposalForward(m) /\ Shows(m.to, s)

\* Nothing that matters happens at i.
Rests(i, s) == UNCHANGED vars /\ Shows(i, s)

\* The session of i and j is back.
Reconnected(i, j, s, t) == Reconnect(i, j) /\ Shows(i, s) /\ Shows(j, t)

Crashed(i) == Crash(i)
\* i is up again, and has sessions with those of S.
Restarted(i, S, s) == i \notin up /\ RestartAmong(i, S) /\ Shows(i, s)

\* What matters of a state: not by which number a ballot is called, and not how often somebody caught up.
Abstract ==
  <<up, [i \in Server |-> <<LeaderOf(promised[i]), promised[i] = accepted[i]>>], log, decided, role, phase, waiting,
    [i \in Server |-> Promisers(leading[i])], [i \in Server |-> leading[i].lens]>>
=============================================================================
