---- MODULE ChosenStart ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm ChosenStart
variables total = 0;
process P \in 1..2
variables base = 3, mine \in 1..base, next = base + mine;
begin
s: total := total + next;
end process
process Q = 9
variables q \in {0, 1};
begin
t: total := total + q;
end process
end algorithm
*)
====
