---- MODULE RingElection ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm RingElection {
  variables inbox = [n \in 1..3 |-> {}], leader = 0;
  define { Next1(n) == IF n = 3 THEN 1 ELSE n + 1 }
  macro send(to, m) { inbox[to] := inbox[to] \union {m}; }
  process (N \in 1..3) variables won = FALSE; {
    start: send(Next1(self), self);
    loop: while (leader = 0) {
      await inbox[self] # {} \/ leader # 0;
      if (leader = 0)
        with (m \in inbox[self]) {
          if (m = self) {
            won := TRUE;
            leader := self;
            inbox[self] := {};
          } else if (m > self) {
            inbox[self] := inbox[self] \ {m} || inbox[Next1(self)] := inbox[Next1(self)] \union {m};
          } else {
            inbox[self] := inbox[self] \ {m};
          }
        }
    }
  }
}
*)
Max == leader \in {0, 3}
====
