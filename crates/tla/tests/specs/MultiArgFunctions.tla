------------------------- MODULE MultiArgFunctions -------------------------
\* Functions of several arguments are functions of tuples.
EXTENDS Naturals
VARIABLES grid, pos
W == 1..3
Cells == W \X W
ASSUME DOMAIN [x, y \in {1, 2} |-> x] = {1, 2} \X {1, 2}
ASSUME [x \in {1, 2}, y \in {3} |-> x + y] = [p \in {1, 2} \X {3} |-> p[1] + p[2]]
ASSUME LET f == [x, y \in W |-> x * y] IN f[2, 3] = f[<<2, 3>>]
ASSUME [f \in [W -> {0}] |-> f[1]][<<0, 0, 0>>] = 0
Init == grid = [x, y \in W |-> 0] /\ pos = <<1, 1>>
Step(dx, dy) == /\ pos[1] + dx \in W /\ pos[2] + dy \in W
                /\ pos' = <<pos[1] + dx, pos[2] + dy>>
                /\ grid' = [grid EXCEPT ![pos[1] + dx, pos[2] + dy] = 1]
Next == Step(1, 0) \/ Step(0, 1)
Fine == pos \in Cells /\ grid \in [Cells -> 0..1] /\ (pos # <<1, 1>> => grid[pos] = 1)
=============================================================================
