---- MODULE Combinatorics ----
EXTENDS Naturals

factorial[n \in Nat] == IF n = 0 THEN 1 ELSE n * factorial[n - 1]
choose(n, k) ==
    LET RECURSIVE Pick(_, _)
        Pick(m, l) == IF l = 0 THEN 1 ELSE (Pick(m - 1, l - 1) * m) \div l
    IN  Pick(n, IF k > n - k THEN n - k ELSE k)
====
