------------------------------ MODULE PrimedIn ------------------------------
\* Variables drawn from sets in Init and in Next; the same variable drawn and then tested; tuples of both.
EXTENDS Naturals

VARIABLES x, y, z

Init == /\ x \in 1..3
        /\ y \in SUBSET {x}
        /\ z \in [1..1 -> {x, 0}]

Next == /\ x' \in {x, x - 1} \cap Nat
        /\ x' > 0
        /\ y' \in SUBSET {x', 3}
        /\ z' \in [1..1 -> {x, x'}]
        /\ z' # z \/ y' # y

Fine == x \in 1..3 /\ y \subseteq 1..3 /\ z[1] \in 0..3
=============================================================================
