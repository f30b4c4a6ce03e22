--------------------------- MODULE QuorumRegister ---------------------------
(***************************************************************************)
(* A register on replicas that any majority of them can serve. Every       *)
(* operation asks a majority for the newest value first. A writer then     *)
(* stores a newer one at a majority, a reader stores what it has read, so  *)
(* that whoever reads later cannot read something older.                   *)
(*                                                                         *)
(* A benchmark: the network is a set of records that only grows and is     *)
(* searched at every step.                                                 *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Replica,
  Writer,      \* each writes once; numbers
  Reader       \* each reads once; numbers

\* For configurations whose replicas are model values.
Symmetry == Permutations(Replica)

VARIABLES
  msgs,        \* every message ever sent
  copy,        \* replica -> the newest version that it has
  phase,       \* client -> "idle", "asking", "storing" or "done"
  chosen,      \* client -> the version that it stores
  floor        \* client -> the newest version that was stored by an operation that ended before this one began

vars == <<msgs, copy, phase, chosen, floor>>

Client == Writer \cup Reader
\* A version: a number, and the writer, to tell two of the same number apart.
First == [no |-> 0, by |-> 0]
Newer(v, w) == v.no > w.no \/ (v.no = w.no /\ v.by > w.by)
Newest(S) == CHOOSE v \in S : \A w \in S : ~Newer(w, v)
IsMajority(S) == 2 * Cardinality(S) > Cardinality(Replica)

Acks(c, kind) == {m \in msgs : m.kind = kind /\ m.client = c}

Init == /\ msgs = {}
        /\ copy = [r \in Replica |-> First]
        /\ phase = [c \in Client |-> "idle"]
        /\ chosen = [c \in Client |-> First]
        /\ floor = [c \in Client |-> First]

Begin(c) ==
  /\ phase[c] = "idle"
  /\ phase' = [phase EXCEPT ![c] = "asking"]
  /\ floor' = [floor EXCEPT ![c] = Newest({First} \cup {chosen[d] : d \in {e \in Client : phase[e] = "done"}})]
  /\ msgs' = msgs \cup {[kind |-> "ask", client |-> c]}
  /\ UNCHANGED <<copy, chosen>>

Tell(r, m) ==
  /\ m.kind = "ask"
  /\ \A k \in Acks(m.client, "told") : k.from # r
  /\ msgs' = msgs \cup {[kind |-> "told", client |-> m.client, from |-> r, version |-> copy[r]]}
  /\ UNCHANGED <<copy, phase, chosen, floor>>

Choose(c) ==
  LET told == Acks(c, "told")
      top  == Newest({m.version : m \in told})
      v    == IF c \in Writer THEN [no |-> top.no + 1, by |-> c] ELSE top
  IN  /\ phase[c] = "asking"
      /\ IsMajority({m.from : m \in told})
      /\ phase' = [phase EXCEPT ![c] = "storing"]
      /\ chosen' = [chosen EXCEPT ![c] = v]
      /\ msgs' = msgs \cup {[kind |-> "store", client |-> c, version |-> v]}
      /\ UNCHANGED <<copy, floor>>

Store(r, m) ==
  /\ m.kind = "store"
  /\ \A k \in Acks(m.client, "stored") : k.from # r
  /\ copy' = [copy EXCEPT ![r] = Newest({@, m.version})]
  /\ msgs' = msgs \cup {[kind |-> "stored", client |-> m.client, from |-> r]}
  /\ UNCHANGED <<phase, chosen, floor>>

End(c) ==
  /\ phase[c] = "storing"
  /\ IsMajority({m.from : m \in Acks(c, "stored")})
  /\ phase' = [phase EXCEPT ![c] = "done"]
  /\ UNCHANGED <<msgs, copy, chosen, floor>>

Next == \/ \E c \in Client : Begin(c) \/ Choose(c) \/ End(c)
        \/ \E r \in Replica, m \in msgs : Tell(r, m) \/ Store(r, m)
Spec == Init /\ [][Next]_vars

\* Nobody reads something older than what was there when it began.
Atomic == \A c \in Client : phase[c] \in {"storing", "done"} => ~Newer(floor[c], chosen[c])
WritesDiffer == \A c, d \in Writer : chosen[c] = chosen[d] /\ chosen[c] # First => c = d
\* What was stored is on a majority.
Kept == \A c \in Client : phase[c] = "done" => IsMajority({r \in Replica : ~Newer(chosen[c], copy[r])})
=============================================================================
