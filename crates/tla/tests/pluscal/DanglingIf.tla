---- MODULE DanglingIf ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm DanglingIf {
  variables a \in BOOLEAN, b \in BOOLEAN, r = 0;
  {
    l1: if (a) if (b) r := 1; else { r := 2; l2: r := r + 10 };
    l3: if (~a) { l4: r := r + 100; l5: skip; };
    l6: r := r + 1000;
  }
}
*)
====
