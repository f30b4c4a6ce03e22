---- MODULE SequencesExt ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Functions

IsInjective(s) == \A i, j \in DOMAIN s : s[i] = s[j] => i = j
Contains(s, e) == \E i \in DOMAIN s : s[i] = e
ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
Remove(s, e) == SelectSeq(s, LAMBDA t : t # e)
Cons(e, s) == <<e>> \o s
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]
IsPrefix(s, t) == Len(s) <= Len(t) /\ \A i \in 1..Len(s) : s[i] = t[i]
IsStrictPrefix(s, t) == IsPrefix(s, t) /\ s # t
IsSuffix(s, t) == IsPrefix(Reverse(s), Reverse(t))
IsStrictSuffix(s, t) == IsSuffix(s, t) /\ s # t
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..(Len(s) + 1)}
SubSeqs(s) == {SubSeq(s, i, j) : i \in 1..(Len(s) + 1), j \in 0..Len(s)}
SeqOf(S, n) == UNION {[1..m -> S] : m \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)
TupleOf(S, n) == [1..n -> S]
SelectInSeq(s, P(_)) ==
    LET found == {i \in DOMAIN s : P(s[i])}
    IN  IF found = {} THEN 0 ELSE CHOOSE i \in found : \A j \in found : i <= j
SelectLastInSeq(s, P(_)) ==
    LET found == {i \in DOMAIN s : P(s[i])}
    IN  IF found = {} THEN 0 ELSE CHOOSE i \in found : \A j \in found : i >= j
SelectInSubSeq(s, from, to, P(_)) ==
    LET found == {i \in from..to : P(s[i])}
    IN  IF found = {} THEN 0 ELSE CHOOSE i \in found : \A j \in found : i <= j
Index(s, e) == SelectInSeq(s, LAMBDA t : t = e)
FlattenSeq(ss) == FoldLeft(LAMBDA acc, t : acc \o t, <<>>, ss)
Zip(s, t) == [i \in 1..(IF Len(s) < Len(t) THEN Len(s) ELSE Len(t)) |-> <<s[i], t[i]>>]
Interleave(s, t) == [i \in 1..(2 * Len(s)) |-> IF i % 2 = 1 THEN s[(i + 1) \div 2] ELSE t[i \div 2]]
LongestCommonPrefix(S) ==
    LET common == {n \in 0..(LET l == {Len(s) : s \in S} IN CHOOSE m \in l : \A k \in l : m <= k) :
                     \A s, t \in S : SubSeq(s, 1, n) = SubSeq(t, 1, n)}
        longest == CHOOSE n \in common : \A m \in common : m <= n
    IN  IF S = {} THEN <<>> ELSE SubSeq(CHOOSE s \in S : TRUE, 1, longest)
CommonPrefixes(S) == IF S = {} THEN {} ELSE {p \in Prefixes(CHOOSE s \in S : TRUE) : \A s \in S : IsPrefix(p, s)}
SeqMod(a, b) == IF a % b = 0 THEN b ELSE a % b
AllSubSeqs(s) == {[i \in 1..Cardinality(D) |-> s[SetToSortSeq(D, <)[i]]] : D \in SUBSET DOMAIN s}
FoldLeftDomain(op(_, _), base, s) == FoldLeft(op, base, [i \in 1..Len(s) |-> i])
FoldRightDomain(op(_, _), s, base) == FoldRight(op, [i \in 1..Len(s) |-> i], base)
ReplaceFirst(s, old, new) == LET i == Index(s, old) IN IF i = 0 THEN s ELSE [s EXCEPT ![i] = new]
ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]
RemoveFirst(s, e) == LET i == Index(s, e) IN IF i = 0 THEN s ELSE RemoveAt(s, i)
RemoveFirstMatch(s, P(_)) == LET i == SelectInSeq(s, P) IN IF i = 0 THEN s ELSE RemoveAt(s, i)
AntiFunction(f) == [y \in Range(f) |-> CHOOSE x \in DOMAIN f : f[x] = y]
====
