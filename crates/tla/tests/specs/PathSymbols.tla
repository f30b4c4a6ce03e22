---------------------------- MODULE PathSymbols -----------------------------
\* Paths that end with a symbol, or with a label whose names are left open, as arguments.
EXTENDS Naturals
VARIABLE x

Three(Op(_, _, _), a, b, c) == Op(a, b, c)
Four(Op(_, _, _, _), a, b, c, d) == Op(a, b, c, d)

Least(q) == CHOOSE n : here(n) :: LET a ++ b == <<a, b, q>>
                                      a \o b == <<q, a, b>>
                                  IN  q
Plain(q) == LET a ++ b == <<a, b, q>> IN q
Set(q) == {n \in 1..q : here(n) :: <<n, q>> = <<1, 2>>}

I == INSTANCE PathSymbolsLib WITH Join <- Plain!:!++
K(Join(_, _, _)) == INSTANCE PathSymbolsLib

Init == x = 0
Next == x < 2 /\ x' = x + 1

Ends == /\ Three(Plain!:!++, 1, x, 3) = <<x, 3, 1>>
        /\ Four(Least!@!++, 1, 2, x, 4) = <<x, 4, 1>>
        /\ Four(Least!here!:!\o, 1, 2, x, 4) = <<1, x, 4>>
        /\ Plain(5)!:!++(1, x) = <<1, x, 5>>
Labels == \A n \in 1..2 : LET Two(Op(_, _), a, b) == Op(a, b) IN Two(Set!here!<<, x, n) = <<n, x>>
Instances == /\ I!Joined(x, 2, 3) = <<2, 3, x>>
             /\ K(Plain!:!++)!Joined(x, 2, 3) = <<2, 3, x>>
             /\ Four(I!Rows!row!:!**, x, 2, 3, 4) = <<x, 3, 4, 2>>
=============================================================================
