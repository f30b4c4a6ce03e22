---------------------------- MODULE InfiniteSets ----------------------------
\* Infinite sets, where only membership is asked.
EXTENDS Integers, Sequences
VARIABLE x
ASSUME 3 \in Nat \ {0} /\ ~(0 \in Nat \ {0}) /\ -1 \in Int \ Nat
ASSUME 5 \in Nat \cup {-1} /\ -1 \in Nat \cup {-1} /\ 5 \in {4, 5} \cap Nat
ASSUME {1, 2} \subseteq Nat /\ ~({-1} \subseteq Nat) /\ {} \subseteq Int
ASSUME {x1 \in {-1, 0, 1} : x1 \in Nat} = {0, 1}
ASSUME <<1, "a">> \in Nat \X STRING /\ [n |-> 1, s |-> "x"] \in [n : Nat, s : STRING]
ASSUME <<<<1>>, <<>>>> \in Seq(Seq(Nat)) /\ [1..2 -> {7}] \subseteq [1..2 -> Nat]
ASSUME {1} \in SUBSET Nat /\ {{1}, {}} \subseteq SUBSET Nat
ASSUME 4 \in {n \in Nat : n % 2 = 0} /\ ~(3 \in {n \in Nat : n % 2 = 0})
Init == x = 0
Next == x' = x + 1 /\ x' \in {n \in Nat : n < 6}
Fine == x \in Nat
=============================================================================
