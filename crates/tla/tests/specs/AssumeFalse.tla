---------------------------- MODULE AssumeFalse ----------------------------
EXTENDS Naturals
CONSTANT N
ASSUME Named == N \in Nat
ASSUME N > 3
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
=============================================================================
