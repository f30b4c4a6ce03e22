------------------------- MODULE PlantedRaftNoReply -------------------------
(***************************************************************************)
(* A specification that is wrong on purpose: a candidate that hears from   *)
(* the leader of its term becomes a follower, but does not answer; the     *)
(* request stays under way, to be answered when it is handled again, as in *)
(* the well-known public specification of Raft.                            *)
(*                                                                         *)
(* Configurations put AcceptedSilently in the place of Accepted.           *)
(***************************************************************************)
EXTENDS PlantedRaft

AcceptedSilently(m, s, reply) ==
  IF role[m.to] = "candidate" /\ m.term = currentTerm[m.to]
  THEN Becomes(m.to, Follower(ServerOf(m.to), m.term)) /\ UNCHANGED net
  ELSE Handled(m, s, reply)
=============================================================================
