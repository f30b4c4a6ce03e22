---- MODULE WithNames ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm WithNames
variables pool = {1, 2, 3}, got = <<>>, last = 0;
begin
Pick:
  while pool # {} do
    with i \in pool, rest = pool \ {i}; twice = 2 * i do
      pool := rest;
      got := Append(got, twice);
      last := twice + Len(got);
    end with;
  end while;
end algorithm
*)
Sorted == Len(got) <= 3
====
