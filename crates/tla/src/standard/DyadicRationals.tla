---- MODULE DyadicRationals ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

LOCAL Fraction(n, d) == [num |-> n, den |-> d]
\* The denominators are powers of two: halving both parts while both are even is enough.
LOCAL Reduced(p) ==
    LET RECURSIVE Halve(_, _)
        Halve(n, d) == IF n % 2 = 0 /\ d % 2 = 0 THEN Halve(n \div 2, d \div 2) ELSE Fraction(n, d)
    IN  IF p.num = 0 THEN Fraction(0, 1) ELSE Halve(p.num, p.den)
IsDyadicRational(r) == \E i \in 0..r.den : 2 ^ i = r.den
Zero == Fraction(0, 1)
One == Fraction(1, 1)
Add(p, q) ==
    LET d == IF p.den > q.den THEN p.den ELSE q.den
    IN  IF p = Zero THEN q ELSE Reduced(Fraction(p.num * (d \div p.den) + q.num * (d \div q.den), d))
Half(p) == Reduced(Fraction(p.num, 2 * p.den))
PrettyPrint(p) == IF p = Zero THEN "0" ELSE IF p = One THEN "1" ELSE ToString(p.num) \o "/" \o ToString(p.den)
====
