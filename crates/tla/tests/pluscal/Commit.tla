---- MODULE Commit ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Commit {
  variables state = [r \in {1, 2, 3} |-> "working"], decision = "none";
  process (Resource \in {1, 2, 3}) {
    vote: either state[self] := "prepared"; or state[self] := "aborted";
    learn: await decision # "none";
      if (state[self] = "prepared") state[self] := decision;
  }
  process (Manager = 0) {
    decide:
      either {
        await \A r \in {1, 2, 3} : state[r] = "prepared";
        decision := "committed";
      } or {
        await \E r \in {1, 2, 3} : state[r] = "aborted";
        decision := "aborted";
      }
  }
}
*)
Consistent == \A r, s \in {1, 2, 3} : ~(state[r] = "committed" /\ state[s] = "aborted")
====
