--------------------------- MODULE TwoPhaseCommit ---------------------------
(***************************************************************************)
(* Two-phase commit: a coordinator asks all participants to prepare and    *)
(* commits if all of them say yes. Servers crash and restart, and know     *)
(* then what is in their own log. Messages are never taken out of the      *)
(* network: they may be late, repeated, or without effect.                 *)
(*                                                                         *)
(* What it is known for is in the configurations: no two servers ever      *)
(* decide differently, but everybody waits for a coordinator that is down. *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Participant,
  Coordinator,
  MaxCrashes,      \* bound
  CoordinatorFails \* may the coordinator go down for good?

VARIABLES
  up,          \* the servers that run
  logged,      \* server -> its log: "nothing", "yes" (participants), "committed" or "aborted"
  asked,       \* the coordinator has sent Prepare
  yes,         \* the coordinator, in memory -> who said yes
  msgs,        \* every message ever sent
  crashes      \* how many crashes there were, for the bound

vars == <<up, logged, asked, yes, msgs, crashes>>

Server == Participant \cup {Coordinator}
Done(s) == logged[s] \in {"committed", "aborted"}

Init ==
  /\ up = Server
  /\ logged = [s \in Server |-> "nothing"]
  /\ asked = FALSE
  /\ yes = {}
  /\ msgs = {}
  /\ crashes = 0

Prepare ==
  /\ Coordinator \in up
  /\ ~asked /\ ~Done(Coordinator)
  /\ asked' = TRUE
  /\ msgs' = msgs \cup {[kind |-> "Prepare", to |-> p] : p \in Participant}
  /\ UNCHANGED <<up, logged, yes, crashes>>

\* A participant that says yes has it on disk first, and may not change its mind.
VoteYes(p) ==
  /\ p \in up
  /\ [kind |-> "Prepare", to |-> p] \in msgs
  /\ logged[p] \in {"nothing", "yes"}
  /\ logged' = [logged EXCEPT ![p] = "yes"]
  /\ msgs' = msgs \cup {[kind |-> "Yes", from |-> p]}
  /\ UNCHANGED <<up, asked, yes, crashes>>

\* One that says no, or that has not been asked for too long, aborts at once.
VoteNo(p) ==
  /\ p \in up
  /\ logged[p] = "nothing"
  /\ logged' = [logged EXCEPT ![p] = "aborted"]
  /\ msgs' = msgs \cup {[kind |-> "No", from |-> p]}
  /\ UNCHANGED <<up, asked, yes, crashes>>

CountYes(p) ==
  /\ Coordinator \in up
  /\ asked /\ ~Done(Coordinator)
  /\ [kind |-> "Yes", from |-> p] \in msgs
  /\ p \notin yes
  /\ yes' = yes \cup {p}
  /\ UNCHANGED <<up, logged, asked, msgs, crashes>>

\* The decision counts from the moment on that it is in the coordinator's log; it is told in a step of its own.
Commit ==
  /\ Coordinator \in up
  /\ ~Done(Coordinator)
  /\ yes = Participant
  /\ logged' = [logged EXCEPT ![Coordinator] = "committed"]
  /\ UNCHANGED <<up, asked, yes, msgs, crashes>>

\* After a No, a time-out or a restart.
Abort ==
  /\ Coordinator \in up
  /\ ~Done(Coordinator)
  /\ yes # Participant
  /\ logged' = [logged EXCEPT ![Coordinator] = "aborted"]
  /\ UNCHANGED <<up, asked, yes, msgs, crashes>>

Tell(p) ==
  /\ Coordinator \in up
  /\ Done(Coordinator)
  /\ [kind |-> "Decision", to |-> p, what |-> logged[Coordinator]] \notin msgs
  /\ msgs' = msgs \cup {[kind |-> "Decision", to |-> p, what |-> logged[Coordinator]]}
  /\ UNCHANGED <<up, logged, asked, yes, crashes>>

Obey(p) ==
  /\ p \in up
  /\ ~Done(p)
  /\ \E d \in {"committed", "aborted"} :
       /\ [kind |-> "Decision", to |-> p, what |-> d] \in msgs
       /\ logged' = [logged EXCEPT ![p] = d]
  /\ UNCHANGED <<up, asked, yes, msgs, crashes>>

\* The votes that were counted are not on disk: a coordinator that restarts without a decision asks again or aborts.
Crash(s) ==
  /\ s \in up
  /\ crashes < MaxCrashes
  /\ up' = up \ {s}
  /\ crashes' = crashes + 1
  /\ yes' = IF s = Coordinator THEN {} ELSE yes
  /\ asked' = IF s = Coordinator THEN FALSE ELSE asked
  /\ UNCHANGED <<logged, msgs>>

Restart(s) ==
  /\ s \notin up
  /\ up' = up \cup {s}
  /\ UNCHANGED <<logged, asked, yes, msgs, crashes>>

Progress == \/ Prepare \/ Commit \/ Abort
            \/ \E p \in Participant : CountYes(p) \/ Tell(p) \/ Obey(p)
Next == \/ Progress
        \/ \E p \in Participant : VoteYes(p) \/ VoteNo(p)
        \/ \E s \in Server : Crash(s) \/ Restart(s)

\* Everything that can be done is done in the end; a crash need not happen; who is down comes back,
\* but the coordinator only if it does not fail.
Fairness ==
  /\ WF_vars(Prepare) /\ WF_vars(Commit) /\ WF_vars(Abort)
  /\ \A p \in Participant : WF_vars(VoteYes(p)) /\ WF_vars(CountYes(p)) /\ WF_vars(Tell(p)) /\ WF_vars(Obey(p))
  /\ \A p \in Participant : WF_vars(Restart(p))
  /\ CoordinatorFails \/ WF_vars(Restart(Coordinator))

Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ Fairness

-----------------------------------------------------------------------------
TypeOK ==
  /\ up \subseteq Server /\ yes \subseteq Participant
  /\ \A s \in Server : logged[s] \in {"nothing", "yes", "committed", "aborted"}

\* No two servers decide differently.
Agreement == \A s, t \in Server : ~(logged[s] = "committed" /\ logged[t] = "aborted")

\* A commit was everybody's wish.
CommitIsUnanimous == \A s \in Server : logged[s] = "committed" =>
  \A p \in Participant : [kind |-> "Yes", from |-> p] \in msgs

Final == [][\A s \in Server : Done(s) => logged'[s] = logged[s]]_logged

EverybodyDecides == \A s \in Server : <>Done(s)
=============================================================================
