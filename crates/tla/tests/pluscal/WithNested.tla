---- MODULE WithNested ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm WithNested {
  variables m = [i \in 1..2 |-> [j \in 1..2 |-> 0]], n = 0;
  {
    w: while (n < 3) {
      with (i \in 1..2) {
        with (j \in 1..2) {
          if (m[i][j] = 0) { m[i][j] := n + 1; }
          else { either m[i][j] := 0; or skip; };
          n := n + 1;
        }
      }
    }
  }
}
*)
====
