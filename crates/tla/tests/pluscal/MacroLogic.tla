---- MODULE MacroLogic ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm MacroLogic {
  variables x = 0, y = 0, flag = [p \in {1, 2} |-> FALSE];
  macro wait(cond, mine) {
    await \/ cond
          \/ /\ mine
             /\ x = y;
    x := x + 1;
  }
  process (P \in {1, 2}) variables got = 0; {
    p1: flag[self] := TRUE;
    p2: wait(flag[1] /\ flag[2], got = 0);
    p3: got := x;
        y := IF got > 1 THEN got ELSE y;
  }
}
*)
====
