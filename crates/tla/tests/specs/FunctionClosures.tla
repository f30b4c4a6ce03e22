-------------------------- MODULE FunctionClosures --------------------------
\* A function holds the values of the state in which it was made; functions of functions.
EXTENDS Naturals
VARIABLES x, f, g
Init == x = 1 /\ f = [i \in 1..2 |-> i + x] /\ g = [i \in {} |-> i]
Next == /\ x' = (x % 3) + 1
        /\ f' = [i \in 1..2 |-> (f[i] % 3) + x]
        /\ g' = [h \in {f, f'} |-> h[1]]
Fine == /\ f \in [1..2 -> 0..5]
        /\ \A h \in DOMAIN g : g[h] = h[1]
=============================================================================
