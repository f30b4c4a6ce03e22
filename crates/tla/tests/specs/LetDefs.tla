------------------------------ MODULE LetDefs ------------------------------
\* LET: operators with and without arguments, functions, recursive ones, nesting, and LET around actions.
EXTENDS Naturals, Sequences

VARIABLES x, y

ASSUME LET a == 1 b == a + 1 IN a + b = 3
ASSUME LET sq(n) == n * n IN sq(3) + sq(4) = 25
ASSUME LET tab[n \in 0..5] == IF n = 0 THEN 1 ELSE n * tab[n - 1] IN tab[5] = 120
ASSUME LET RECURSIVE Fib(_)
           Fib(n) == IF n < 2 THEN n ELSE Fib(n - 1) + Fib(n - 2)
       IN  Fib(10) = 55
ASSUME LET a == LET b == 2 IN b * b IN LET c == a + 1 IN c = 5
ASSUME LET n (+) m == n + m + 1 IN 1 (+) 1 = 3
ASSUME LET Twice(F(_), z) == F(F(z)) Inc(z) == z + 2 IN Twice(Inc, 1) = 5

Init == x = 0 /\ y = <<>>

Next == LET d == x + 1
            grow(k) == x' = x + k
        IN  \/ d <= 4 /\ grow(1) /\ y' = IF Len(y) < 2 THEN Append(y, d) ELSE y
            \/ LET e == d * 2
               IN  /\ e <= 6
                   /\ grow(e - x)
                   /\ UNCHANGED y
            \/ x > 0 /\ x' = 0 /\ y' = <<>>

Fine == x \in 0..6
=============================================================================
