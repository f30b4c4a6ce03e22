------------------------------- MODULE LeadersWait -------------------------------
(* What raft-java does not do: a leader's election timer does not go off.                                                          *)
EXTENDS RaftJavaElection
Waits(s) == role[s] \notin {Down, Leader}
=================================================================================
