---- MODULE SequencesExt ----
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC

ToBag(s) == LET seen == Range(s) IN [e \in seen |-> Quantify(DOMAIN s, LAMBDA i : s[i] = e)]
SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}
TupleOf(S, n) == [1..n -> S]
SeqOf(S, n) == UNION {[1..m -> S] : m \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)

Contains(s, e) == \E i \in DOMAIN s : s[i] = e
IsSorted(s, op(_, _)) == \A j \in 1..Len(s) : \A i \in 1..(j - 1) : op(s[i], s[j])
Remove(s, e) == SelectSeq(s, LAMBDA t : t # e)
ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]

SelectInSubSeq(s, from, to, P(_)) ==
    LET found == {i \in from..to : P(s[i])} IN IF found = {} THEN 0 ELSE Min(found)
SelectLastInSubSeq(s, from, to, P(_)) ==
    LET found == {i \in from..to : P(s[i])} IN IF found = {} THEN 0 ELSE Max(found)
SelectInSeq(s, P(_)) == SelectInSubSeq(s, 1, Len(s), P)
SelectLastInSeq(s, P(_)) == SelectLastInSubSeq(s, 1, Len(s), P)

ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]
RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))
RemoveFirstMatch(s, P(_)) == LET i == SelectInSeq(s, P) IN IF i = 0 THEN s ELSE RemoveAt(s, i)
RemoveFirst(s, e) == RemoveFirstMatch(s, LAMBDA t : t = e)
Cons(e, s) == <<e>> \o s
Snoc(e, s) == Append(s, e)
Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]

IsPrefix(s, t) == LET n == Len(s) IN n <= Len(t) /\ SubSeq(t, 1, n) = s
IsStrictPrefix(s, t) == s # t /\ IsPrefix(s, t)
IsSuffix(s, t) == LET n == Len(s) IN n <= Len(t) /\ SubSeq(t, Len(t) - n + 1, Len(t)) = s
IsStrictSuffix(s, t) == s # t /\ IsSuffix(s, t)
Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..(Len(s) + 1)}
CommonPrefixes(S) == IF S = {} THEN {} ELSE {p \in Prefixes(CHOOSE s \in S : TRUE) : \A s \in S : IsPrefix(p, s)}
LongestCommonPrefix(S) ==
    LET common == CommonPrefixes(S) IN CHOOSE p \in common : \A q \in common : Len(q) <= Len(p)

SeqMod(a, b) == LET r == a % b IN IF r = 0 THEN b ELSE r
FoldLeftDomain(op(_, _), base, s) == FoldLeft(op, base, [i \in 1..Len(s) |-> i])
FoldRightDomain(op(_, _), s, base) == FoldRight(op, [i \in 1..Len(s) |-> i], base)
FlattenSeq(ss) == IF ss = <<>> THEN ss ELSE FoldLeft(LAMBDA all, s : all \o s, Head(ss), Tail(ss))
Zip(s, t) == [i \in 1..Min({Len(s), Len(t)}) |-> <<s[i], t[i]>>]
Interleave(s, t) ==
    CASE Len(s) = Len(t) /\ s # <<>> -> [i \in 1..(2 * Len(s)) |-> IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]
      [] Len(s) = Len(t) /\ s = <<>> -> << <<>>, <<>> >>

SubSeqs(s) == {SubSeq(s, i + 1, j) : i, j \in 0..Len(s)}
AllSubSeqs(s) ==
    LET RECURSIVE Upto(_)
        Upto(n) == IF n = 0 THEN {<<>>} ELSE LET shorter == Upto(n - 1) IN shorter \cup {Append(t, s[n]) : t \in shorter}
    IN  Upto(Len(s))
IndexFirstSubSeq(s, t) ==
    IF s = <<>> THEN 1
    ELSE CHOOSE i \in 1..(Len(t) - Len(s) + 1) :
            /\ SubSeq(t, i, i + Len(s) - 1) = s
            /\ \A j \in 1..(i - 1) : SubSeq(t, j, j + Len(s) - 1) # s
ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))
====
