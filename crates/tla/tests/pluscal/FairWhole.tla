---- MODULE FairWhole ----
EXTENDS Naturals, Sequences, TLC
(*
--fair algorithm FairWhole
variables x = 0;
process P \in 1..2
begin
a: while x < 4 do
     x := x + 1;
   end while;
end process
end algorithm
*)
====
