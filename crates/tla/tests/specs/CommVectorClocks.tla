---- MODULE CommVectorClocks ----
(* Lines of three nodes that were collected in no order, and the orders that their clocks allow. *)
EXTENDS Naturals, Sequences, TLC, VectorClocks

VARIABLES log, i

(* a writes twice, b hears of the first, c of the second and of b. *)
Lines == <<
  [at |-> "c", vc |-> [a |-> 2, b |-> 1, c |-> 1]],
  [at |-> "a", vc |-> [a |-> 2]],
  [at |-> "b", vc |-> [a |-> 1, b |-> 1]],
  [at |-> "a", vc |-> [a |-> 1]]
>>
Clock(line) == line.vc
Sorted(lines) == CausalOrder(lines, Clock, LAMBDA line : line.at, LAMBDA vc : DOMAIN vc)
Orders == {p \in Permutations(1..4) : IsCausalOrder([n \in 1..4 |-> Lines[p[n]]], Clock)}

ASSUME ~IsCausalOrder(Lines, Clock)
ASSUME \A p \in Permutations(1..4) : IsCausalOrder(Sorted([n \in 1..4 |-> Lines[p[n]]]), Clock)

Init == i = 0 /\ log \in {[n \in 1..4 |-> Lines[p[n]]] : p \in Orders}
Next == i < 4 /\ i' = i + 1 /\ UNCHANGED log
====
