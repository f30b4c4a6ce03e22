------------------------ MODULE RecursiveOverSubsets ------------------------
\* Recursive functions whose domain is a set of sets, or of pairs.
EXTENDS Naturals, FiniteSets
VARIABLES S, t
sum[T \in SUBSET (1..6)] == IF T = {} THEN 0 ELSE LET x == CHOOSE x \in T : \A y \in T : y <= x IN x + sum[T \ {x}]
gcd[a, b \in 0..30] == IF b = 0 THEN a ELSE gcd[b, a % b]
hanoi[k \in Nat] == IF k = 0 THEN 0 ELSE 2 * hanoi[k - 1] + 1
ASSUME sum[1..6] = 21 /\ sum[{}] = 0
ASSUME gcd[12, 18] = 6 /\ gcd[<<7, 5>>] = 1
ASSUME hanoi[10] = 1023
Init == S = {} /\ t = 0
Next == \E x \in 1..4 : S' = (S \ {x}) \cup ({x} \ S) /\ t' = sum[S']
Fine == t = sum[S] /\ t <= 10
=============================================================================
