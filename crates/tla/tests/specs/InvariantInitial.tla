-------------------------- MODULE InvariantInitial --------------------------
\* Violated by an initial state: a counterexample of one state.
EXTENDS Naturals
VARIABLE x
Init == x \in 1..5
Next == x' = x
Low == x < 4
=============================================================================
