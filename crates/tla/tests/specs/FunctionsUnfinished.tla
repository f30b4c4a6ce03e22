------------------------ MODULE FunctionsUnfinished -------------------------
\* Functions that need themselves before they are finished: by way of others, and by one of their own values;
\* and a set that cannot be listed, while one element can be tested.
EXTENDS Integers, Sequences
VARIABLE x

RECURSIVE odd
even[n \in Nat] == IF n = 0 THEN TRUE ELSE odd[n - 1]
odd[n \in Nat] == IF n = 0 THEN FALSE ELSE even[n - 1]

\* A definition in between, and a function that counts in steps of two.
RECURSIVE half
again == half
half[n \in 0..20] == IF n < 2 THEN 0 ELSE 1 + again[n - 2]

\* Row after row; a number needs the one before it in the same row.
sums[i \in 0..4] == [j \in 0..i |->
  IF j = 0 THEN IF i = 0 THEN x ELSE sums[i - 1][i - 1] ELSE sums[i][j - 1] + 1]
ways[i, j \in 0..3] == [k \in 0..1 |->
  IF k = 1 THEN ways[i, j][0] + 1 ELSE IF i = 0 \/ j = 0 THEN 1 ELSE ways[i - 1, j][0] + ways[i, j - 1][0]]

Init == x = 0
Next == x < 3 /\ x' = x + 1

Mutual == even[x] # odd[x] /\ (even[x] <=> x % 2 = 0) /\ half[4 * x] = 2 * x
Rows == /\ sums[0] = [j \in 0..0 |-> x]
        /\ sums[2][2] = x + 3
        /\ sums[4] = [j \in 0..4 |-> x + 6 + j]
        /\ ways[3, 3][1] = 21
Tested == /\ <<1, 2>> \in {f \in UNION {[S -> 1..2] : S \in SUBSET (1..2)} : f[2] = 2}
          /\ <<1, 1>> \notin {f \in UNION {[S -> 1..2] : S \in SUBSET (1..2)} : f[2] = 2}
=============================================================================
