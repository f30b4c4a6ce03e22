---- MODULE InFileOptions ----
EXTENDS Naturals, Sequences, TLC
(*
PlusCal options (label, wf, labelRoot Step)
--algorithm InFileOptions {
  variables x = 0;
  process (P \in 1..2) {
    x := x + 1;
    x := x * 2;
    while (x < 5) {
      x := x + 1;
    };
    x := 0;
  }
}
*)
====
