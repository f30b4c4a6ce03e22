---- MODULE CountC ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm CountC {
  variables x = 0, y \in 1..3;
  {
    Loop: while (x < 5) { x := x + y; };
    y := 0;
  }
}
*)
====
