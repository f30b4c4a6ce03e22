---- MODULE FailedAssert ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm FailedAssert {
  variables x = 0;
  macro check(e) { assert e; x := x + 1; }
  {
    a: while (x < 3) {
      b: check(x # 2);
    }
  }
}
*)
====
