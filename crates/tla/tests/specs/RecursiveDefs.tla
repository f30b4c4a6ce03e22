--------------------------- MODULE RecursiveDefs ---------------------------
\* Recursive functions and RECURSIVE operators, mutual recursion too.
EXTENDS Naturals, Sequences, FiniteSets

VARIABLE s

fact[n \in Nat] == IF n = 0 THEN 1 ELSE n * fact[n - 1]
ack[m \in 0..2, n \in 0..9] ==
  IF m = 0 THEN n + 1
  ELSE IF n = 0 THEN ack[m - 1, 1]
  ELSE IF ack[m, n - 1] > 9 THEN 10 ELSE ack[m - 1, ack[m, n - 1]]

RECURSIVE Even(_), Odd(_)
Even(n) == IF n = 0 THEN TRUE ELSE Odd(n - 1)
Odd(n)  == IF n = 0 THEN FALSE ELSE Even(n - 1)

RECURSIVE Reverse(_)
Reverse(q) == IF q = <<>> THEN <<>> ELSE Append(Reverse(Tail(q)), Head(q))

RECURSIVE SumOver(_, _)
SumOver(F(_), S) == IF S = {} THEN 0
                    ELSE LET e == CHOOSE e \in S : TRUE IN F(e) + SumOver(F, S \ {e})

ASSUME fact[6] = 720
ASSUME ack[1, 3] = 5 /\ ack[2, 3] = 9
ASSUME Even(10) /\ Odd(7) /\ ~Even(3)
ASSUME Reverse(<<1, 2, 3>>) = <<3, 2, 1>>
ASSUME SumOver(LAMBDA e : e * e, 1..4) = 30

Init == s \in [1..3 -> {0, 1}]
Next == s' = Reverse(s) \/ (Even(SumOver(LAMBDA i : s[i], 1..3)) /\ s' = Append(Tail(s), 1 - Head(s)))
Fine == Len(s) = 3
=============================================================================
