----------------------------- MODULE MultiPaxos -----------------------------
(***************************************************************************)
(* Multi-Paxos: a sequence of slots, in each of which one value is chosen. *)
(* A proposer that has won a ballot leads: phase one is run once, for all  *)
(* slots, and from then on each request takes phase two alone.             *)
(*                                                                         *)
(* The network is a set of all messages ever sent. Nothing is taken out of *)
(* it: a message may be handled late, twice, or never, which is delay,     *)
(* duplication and loss, with no action of their own.                      *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Acceptor,
  Proposers,    \* how many; they are the numbers 0, 1, ...
  Value,
  Slots,        \* how many
  Ballots,      \* bound: the highest ballot
  Nil           \* no value

VARIABLES
  msgs,         \* every message ever sent
  promised,     \* acceptor -> no ballot below this one will be accepted; 0 at first
  accepted,     \* acceptor -> slot -> the last vote: [bal, val], bal 0 if there was none
  ballot,       \* proposer -> the ballot it runs for or leads; 0 if it never did
  phase,        \* proposer -> "idle", "preparing" or "leading"
  plan,         \* proposer -> slot -> the value it proposed in its ballot, or Nil
  decided       \* acceptor, as a learner -> slot -> the value it knows to be chosen, or Nil

vars == <<msgs, promised, accepted, ballot, phase, plan, decided>>

Proposer == 0..Proposers - 1
Slot     == 1..Slots
NoVote   == [bal |-> 0, val |-> Nil]
NoPlan   == [s \in Slot |-> Nil]

\* Each ballot has one owner, so that nobody else can use it.
Owner(b) == b % Proposers

IsQuorum(S) == 2 * Cardinality(S) > Cardinality(Acceptor)
IsAnybody(S) == S # {}          \* for a configuration that shows what happens without quorums

Send(ms) == msgs' = msgs \cup ms

Promises(b) == {m \in msgs : m.kind = "Promise" /\ m.bal = b}
Votes(b, s) == {m \in msgs : m.kind = "Accepted" /\ m.bal = b /\ m.slot = s}

-----------------------------------------------------------------------------
Init ==
  /\ msgs = {}
  /\ promised = [a \in Acceptor |-> 0]
  /\ accepted = [a \in Acceptor |-> [s \in Slot |-> NoVote]]
  /\ ballot = [p \in Proposer |-> 0]
  /\ phase = [p \in Proposer |-> "idle"]
  /\ plan = [p \in Proposer |-> NoPlan]
  /\ decided = [a \in Acceptor |-> NoPlan]

\* Phase one: p wants to lead in ballot b.
Prepare(p, b) ==
  /\ Owner(b) = p /\ b > ballot[p]
  /\ ballot' = [ballot EXCEPT ![p] = b]
  /\ phase' = [phase EXCEPT ![p] = "preparing"]
  /\ plan' = [plan EXCEPT ![p] = NoPlan]
  /\ Send({[kind |-> "Prepare", bal |-> b]})
  /\ UNCHANGED <<promised, accepted, decided>>

\* An acceptor promises not to vote in older ballots, and tells all its last votes.
HandlePrepare(a, m) ==
  /\ m.kind = "Prepare"
  /\ m.bal > promised[a]
  /\ promised' = [promised EXCEPT ![a] = m.bal]
  /\ Send({[kind |-> "Promise", from |-> a, bal |-> m.bal, votes |-> accepted[a]]})
  /\ UNCHANGED <<accepted, ballot, phase, plan, decided>>

\* A quorum has promised: p leads. Where one of them has voted, the latest vote binds p.
BecomePrimary(p) ==
  \E S \in SUBSET Promises(ballot[p]) :
    LET Latest(s) == LET v == CHOOSE v \in {m.votes[s] : m \in S} : \A m \in S : m.votes[s].bal <= v.bal IN v.val
    IN  /\ phase[p] = "preparing"
        /\ IsQuorum({m.from : m \in S})
        /\ phase' = [phase EXCEPT ![p] = "leading"]
        /\ plan' = [plan EXCEPT ![p] = [s \in Slot |-> Latest(s)]]
        /\ Send({[kind |-> "Accept", bal |-> ballot[p], slot |-> s, val |-> Latest(s)] : s \in {t \in Slot : Latest(t) # Nil}})
        /\ UNCHANGED <<promised, accepted, ballot, decided>>

\* Phase two: the leader proposes a value of its choice in the first slot that is free.
Propose(p, s, v) ==
  /\ phase[p] = "leading"
  /\ plan[p][s] = Nil /\ \A t \in 1..s - 1 : plan[p][t] # Nil
  /\ plan' = [plan EXCEPT ![p][s] = v]
  /\ Send({[kind |-> "Accept", bal |-> ballot[p], slot |-> s, val |-> v]})
  /\ UNCHANGED <<promised, accepted, ballot, phase, decided>>

HandleAccept(a, m) ==
  /\ m.kind = "Accept"
  /\ m.bal >= promised[a]
  /\ promised' = [promised EXCEPT ![a] = m.bal]
  /\ accepted' = [accepted EXCEPT ![a][m.slot] = [bal |-> m.bal, val |-> m.val]]
  /\ Send({[kind |-> "Accepted", from |-> a, bal |-> m.bal, slot |-> m.slot, val |-> m.val]})
  /\ UNCHANGED <<ballot, phase, plan, decided>>

\* a hears a quorum of votes of one ballot: it knows what was chosen.
Decide(a, b, s) ==
  /\ decided[a][s] = Nil
  /\ IsQuorum({m.from : m \in Votes(b, s)})
  /\ decided' = [decided EXCEPT ![a][s] = (CHOOSE m \in Votes(b, s) : TRUE).val]
  /\ UNCHANGED <<msgs, promised, accepted, ballot, phase, plan>>

\* A proposer that crashes keeps its ballot on disk and starts anew. (Acceptors keep all they know.)
Restart(p) ==
  /\ phase[p] # "idle"
  /\ phase' = [phase EXCEPT ![p] = "idle"]
  /\ plan' = [plan EXCEPT ![p] = NoPlan]
  /\ UNCHANGED <<msgs, promised, accepted, ballot, decided>>

Next ==
  \/ \E p \in Proposer, b \in 1..Ballots : Prepare(p, b)
  \/ \E p \in Proposer : BecomePrimary(p)
  \/ \E p \in Proposer, s \in Slot, v \in Value : Propose(p, s, v)
  \/ \E p \in Proposer : Restart(p)
  \/ \E a \in Acceptor, m \in msgs : HandlePrepare(a, m)
  \/ \E a \in Acceptor, m \in msgs : HandleAccept(a, m)
  \/ \E a \in Acceptor, b \in 1..Ballots, s \in Slot : Decide(a, b, s)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
Symmetry == Permutations(Acceptor)

\* For CONSTRAINT. The learners' part goes no further than to one decision: what is chosen shows in the messages.
Undecided == \A a \in Acceptor : decided[a] = NoPlan

\* No proposer crashes.
NoRestart == \A p \in Proposer : phase[p] = "idle" => ballot[p] = 0

TypeOK ==
  /\ \A a \in Acceptor : /\ promised[a] \in 0..Ballots
                         /\ \A s \in Slot : accepted[a][s].bal <= promised[a]
                         /\ decided[a] \in [Slot -> Value \cup {Nil}]
  /\ \A p \in Proposer : /\ ballot[p] \in 0..Ballots
                         /\ phase[p] \in {"idle", "preparing", "leading"}
                         /\ plan[p] \in [Slot -> Value \cup {Nil}]

\* A value is chosen in a slot when a quorum has voted for it in one ballot.
Chosen(s) == {v \in Value : \E b \in 1..Ballots : IsQuorum({m.from : m \in {k \in Votes(b, s) : k.val = v}})}

\* The point of it all.
Agreement == \A s \in Slot : Cardinality(Chosen(s)) <= 1

\* What learners know is what was chosen, so they agree.
Learned == \A a \in Acceptor, s \in Slot : decided[a][s] # Nil => decided[a][s] \in Chosen(s)

\* Why it works: a ballot has one value in a slot.
OneValuePerBallot ==
  \A m, k \in {n \in msgs : n.kind = "Accept"} : m.bal = k.bal /\ m.slot = k.slot => m.val = k.val

\* What was decided stays.
Stable == [][\A a \in Acceptor, s \in Slot : decided[a][s] # Nil => decided'[a][s] = decided[a][s]]_decided
=============================================================================
