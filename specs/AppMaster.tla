------------------------------ MODULE AppMaster ------------------------------
(***************************************************************************)
(* A master hands requests to workers; a terminator clears workers.        *)
(*                                                                         *)
(* Workers and terminator register with the master when they start. The    *)
(* master serves a request only if all of them have registered: it sends   *)
(* Execute to a worker and Terminate to the terminator, which sends Flush  *)
(* to that worker. To execute a request takes a chain of Tasks messages:   *)
(* each Execute but the last makes the worker send itself the next one.    *)
(* Flush takes the worker's buffer away. Without it, a careful worker      *)
(* ignores Execute; the careless one of the literature fails if the flush  *)
(* came exactly before the last Execute.                                   *)
(*                                                                         *)
(* Every action is the delivery of one message, named after its kind, with *)
(* what the message carries as its arguments. Little happens in most       *)
(* orders of delivery: the states behind "all have registered before the   *)
(* request came" are what a test has to be guided to.                      *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
  Worker,       \* the workers
  Terminator,   \* the terminator
  Requests,     \* the requests that clients send
  Tasks,        \* how many Execute messages it takes to serve one
  Nobody

VARIABLES
  net,          \* messages in flight; each is delivered once
  registered,   \* the processes that the master knows
  server,       \* request -> the worker that it was given to, or Nobody
  completed,    \* the requests that are done
  buffers,      \* the workers that have a buffer
  toTerminate,  \* the workers that the terminator was told to clear
  terminated    \* the workers that were cleared

vars == <<net, registered, server, completed, buffers, toTerminate, terminated>>

Process == Worker \cup {Terminator}
Ready == registered = Process
Accepted == {r \in Requests : server[r] # Nobody}

RegisterMsg(p)     == [kind |-> "Register", who |-> p]
RequestMsg(r)      == [kind |-> "Request", req |-> r]
ExecuteMsg(r, w, k) == [kind |-> "Execute", req |-> r, to |-> w, left |-> k]
TerminateMsg(r, w) == [kind |-> "Terminate", req |-> r, worker |-> w]
FlushMsg(r, w)     == [kind |-> "Flush", req |-> r, to |-> w]

\* m arrives, and what it leads to is sent.
Deliver(m, sent) == m \in net /\ net' = (net \ {m}) \cup sent

Init ==
  /\ net = {RegisterMsg(p) : p \in Process} \cup {RequestMsg(r) : r \in Requests}
  /\ registered = {}
  /\ server = [r \in Requests |-> Nobody]
  /\ completed = {}
  /\ buffers = Worker
  /\ toTerminate = {}
  /\ terminated = {}

Register(p) ==
  /\ Deliver(RegisterMsg(p), {})
  /\ registered' = registered \cup {p}
  /\ UNCHANGED <<server, completed, buffers, toTerminate, terminated>>

\* The master gives r to w.
Request(r, w) ==
  /\ Ready
  /\ Deliver(RequestMsg(r), {ExecuteMsg(r, w, Tasks), TerminateMsg(r, w)})
  /\ server' = [server EXCEPT ![r] = w]
  /\ UNCHANGED <<registered, completed, buffers, toTerminate, terminated>>

\* Somebody has not registered yet: the request is forgotten.
IgnoreRequest(r) ==
  /\ ~Ready
  /\ Deliver(RequestMsg(r), {})
  /\ UNCHANGED <<registered, server, completed, buffers, toTerminate, terminated>>

\* The k-th task from the end of request r, at w.
Execute(r, w, k) ==
  /\ Deliver(ExecuteMsg(r, w, k), IF w \in buffers /\ k > 1 THEN {ExecuteMsg(r, w, k - 1)} ELSE {})
  /\ completed' = IF w \in buffers /\ k = 1 THEN completed \cup {r} ELSE completed
  /\ UNCHANGED <<registered, server, buffers, toTerminate, terminated>>

Terminate(r, w) ==
  /\ Deliver(TerminateMsg(r, w), {FlushMsg(r, w)})
  /\ toTerminate' = toTerminate \cup {w}
  /\ UNCHANGED <<registered, server, completed, buffers, terminated>>

Flush(r, w) ==
  /\ Deliver(FlushMsg(r, w), {})
  /\ buffers' = buffers \ {w}
  /\ terminated' = terminated \cup {w}
  /\ UNCHANGED <<registered, server, completed, toTerminate>>

Next ==
  \/ \E p \in Process : Register(p)
  \/ \E r \in Requests : IgnoreRequest(r)
  \/ \E r \in Requests, w \in Worker :
       \/ Request(r, w)
       \/ Terminate(r, w)
       \/ Flush(r, w)
       \/ \E k \in 1..Tasks : Execute(r, w, k)

Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

-----------------------------------------------------------------------------
TypeOK ==
  /\ registered \subseteq Process /\ completed \subseteq Accepted
  /\ \A m \in net : m.kind \in {"Register", "Request", "Execute", "Terminate", "Flush"}
  /\ \A m \in net : m.kind = "Execute" => m.left \in 1..Tasks /\ server[m.req] = m.to
OnlyWhenReady == Accepted # {} => Ready
InOrder == terminated \subseteq toTerminate /\ toTerminate \subseteq {server[r] : r \in Accepted}
BuffersGone == buffers = Worker \ terminated

\* All messages are delivered in the end, and a request that was taken up is served, unless its worker was cleared.
Quiet == <>[](net = {})
Served == \A r \in Requests : (r \in Accepted) ~> (r \in completed \/ server[r] \in terminated)

\* Not an invariant: its counterexample is the order of deliveries that the careless worker fails in.
NeverBeforeTheLast == \A m \in net : m.kind = "Execute" /\ m.left = 1 => m.to \in buffers
=============================================================================
