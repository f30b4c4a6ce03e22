---- MODULE Endless ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Endless
variable hour \in 1..12;
begin
Tick: while TRUE do
  if hour = 12 then hour := 1; else hour := hour + 1; end if;
end while;
end algorithm
*)
====
