----------------------- MODULE PlantedRaftUpdateTerm -----------------------
(***************************************************************************)
(* A specification that is wrong on purpose: a newer term is taken over by *)
(* an action of its own, before the message that brings it is handled, as  *)
(* in the well-known public specification of Raft. No implementation does  *)
(* that in two steps, and between them it would answer with the new term   *)
(* what it has not received.                                               *)
(*                                                                         *)
(* Configurations put IsReceivedThen in the place of IsReceived.           *)
(***************************************************************************)
EXTENDS PlantedRaft

UpdateTerm(m) ==
  /\ InFlight(m)
  /\ m.term > currentTerm[m.to]
  /\ Becomes(m.to, Heard(ServerOf(m.to), m.term))
  /\ UNCHANGED net

IsReceivedThen(m, kind) ==
  /\ m.kind = kind
  /\ InFlight(m)
  /\ m.term <= currentTerm[m.to]

NextUpdateTerm == NextPlanted \/ \E m \in DOMAIN net : UpdateTerm(m)
=============================================================================
