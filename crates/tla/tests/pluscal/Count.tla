---- MODULE Count ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Count
variables x = 0, y \in 1..3;
begin
Loop:
  while x < 5 do
    x := x + y;
  end while;
  y := 0;
end algorithm
*)
====
