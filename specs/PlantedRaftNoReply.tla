------------------------- MODULE PlantedRaftNoReply -------------------------
(***************************************************************************)
(* A specification that is wrong on purpose: entries that are new to the   *)
(* log are appended, but the request is not answered and stays under way,  *)
(* to be answered when it is handled again, as in the well-known public    *)
(* specification of Raft.                                                  *)
(*                                                                         *)
(* Configurations put AcceptedSilently in the place of Accepted.           *)
(***************************************************************************)
EXTENDS PlantedRaft

AcceptedSilently(m, s, reply) ==
  IF s.log = log[m.to] THEN Handled(m, s, reply) ELSE Becomes(m.to, s) /\ UNCHANGED net
=============================================================================
