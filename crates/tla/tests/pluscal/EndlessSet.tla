---- MODULE EndlessSet ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm EndlessSet {
  variables owner = 0, waiting = {};
  process (Client \in 1..3) {
    c: while (TRUE) {
      either { await self \notin waiting /\ owner # self; waiting := waiting \union {self}; }
      or { await owner = 0 /\ self \in waiting; owner := self; waiting := waiting \ {self}; }
      or { await owner = self; owner := 0; }
    }
  }
}
*)
Apart == owner \notin waiting
====
