--------------------------- MODULE ProofsSkipped ---------------------------
\* Theorems and proofs are there for another tool.
EXTENDS Naturals
CONSTANT N
ASSUME NPos == N \in Nat /\ N > 0
VARIABLE x
Init == x = 0
Next == x' = (x + 1) % N
Spec == Init /\ [][Next]_x
Inv == x \in 0..N - 1
LEMMA Start == ASSUME NPos PROVE Init => Inv
  BY NPos DEF Init, Inv
THEOREM Safe == Spec => []Inv
<1>1. Init => Inv
  BY Start, NPos
<1>2. Inv /\ [Next]_x => Inv'
  <2>1. SUFFICES ASSUME Inv, Next PROVE Inv'
    OBVIOUS
  <2>2. CASE x = N - 1
    BY <2>1, <2>2 DEF Next, Inv
  <2>3. CASE x # N - 1
    OMITTED
  <2>. QED BY <2>2, <2>3
<1>3. QED
  PROOF BY <1>1, <1>2 DEF Spec
COROLLARY TRUE OBVIOUS
=============================================================================
