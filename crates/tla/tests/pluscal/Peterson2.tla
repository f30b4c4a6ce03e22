---- MODULE Peterson2 ----
EXTENDS Integers, TLC
(*
--algorithm Peterson2 {
  variables c = [self \in {0, 1} |-> FALSE], turn = 0;
  fair process (proc \in {0, 1}) {
    a0: while (TRUE) {
      a1: c[self] := TRUE;
      a2: turn := 1 - self;
      a3: await ~c[1 - self] \/ turn = self;
      cs: skip;
      a4: c[self] := FALSE;
    }
  }
}
*)
Mutex == ~(pc[0] = "cs" /\ pc[1] = "cs")
Live == \A p \in {0, 1} : (pc[p] = "a2") ~> (pc[p] = "cs")
====
