---- MODULE Philosophers ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Philosophers {
  variables fork = [i \in 0..2 |-> 3];
  define { left(i) == i  right(i) == (i + 1) % 3 }
  process (Phil \in 0..2) {
    think: while (TRUE) {
      first: await fork[left(self)] = 3;
             fork[left(self)] := self;
      second: await fork[right(self)] = 3;
             fork[right(self)] := self;
      eat: skip;
      drop1: fork[left(self)] := 3;
      drop2: fork[right(self)] := 3;
    }
  }
}
*)
====
