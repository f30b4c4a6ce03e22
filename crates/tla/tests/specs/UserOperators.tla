--------------------------- MODULE UserOperators ---------------------------
\* Infix, postfix and prefix operators of one's own, and as arguments; their precedences.
EXTENDS Naturals, Sequences, FiniteSets

VARIABLE x

a ++ b == {a, b}
a ** b == a * 10 + b
a || b == <<a, b>>
a \prec b == a < b
a \oplus b == (a + b) % 5
a $ b == a - b
a %% b == (a % b) + 1
a & b == a /\ b
s ^+ == {s, s \cup {99}}
n ^# == n * n
-. a == 100 - a                        \* Naturals has no unary minus: ours
p <: q == p \o q
Reduce(Op(_, _), s) == LET f[i \in 1..Len(s)] == IF i = 1 THEN s[1] ELSE Op(f[i - 1], s[i]) IN f[Len(s)]

ASSUME 1 ++ 2 = {2, 1}
ASSUME 3 ** 4 = 34
ASSUME 1 || 2 = <<1, 2>>
ASSUME (1 \prec 2) & ~(2 \prec 1)   \* & binds tighter than \prec
ASSUME 3 \oplus 4 = 2
ASSUME 7 $ 2 = 5
ASSUME 7 %% 3 = 2
ASSUME Cardinality({1}^+) = 2
ASSUME 3^# + 1 = 10
ASSUME -30 = 70
ASSUME <<1>> <: <<2>> = <<1, 2>>
ASSUME Reduce( **, <<1, 2, 3>>) = 123 \* a blank, or it would open a comment
ASSUME Reduce(\oplus, <<3, 3, 3>>) = 4
ASSUME 2 ** 3 ** 4 = 234               \* associates to the left

Init == x = 0
Next == x' \in {x \oplus 2, x \oplus 3} /\ (x = 4 => x' \prec 2)
Fine == x \in 0..4
=============================================================================
