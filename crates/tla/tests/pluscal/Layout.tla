---- MODULE Layout ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Layout
variables long_name = 0, other = [k \in 1..2 |-> 0], short = 1;
process P \in 1..2
variables mine = 0, list = <<>>;
begin
a: mine := IF /\ long_name = 0
              /\ \/ mine = 0
                 \/ mine = self
           THEN LET v == mine + 1
                    w == v + self
                IN  v + w
           ELSE CASE mine = 0 -> 1
                  [] mine = 1 -> 2
                  [] OTHER -> mine;
   list := <<mine, [mine |-> mine, x |-> list]>>;
b: other[self] := other[self] + mine
   || other[3 - self] := Len(list);
   await /\ mine > 0
         /\ \A i \in {mine, self} :
               \/ i > 0
               \/ mine = list[1];
   long_name := long_name + 1;
end process
end algorithm
*)
====
