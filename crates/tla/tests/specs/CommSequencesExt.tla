------------------------- MODULE CommSequencesExt -------------------------
\* Operators of the community module SequencesExt.
EXTENDS SequencesExt, Sequences, Naturals, FiniteSets
VARIABLE s
Less(a, b) == a < b
ASSUME ToSet(<<1, 2, 2, 3>>) = {1, 2, 3} /\ ToSet(<<>>) = {}
ASSUME ToSet(SetToSeq({4, 5, 6})) = {4, 5, 6} /\ Len(SetToSeq({4, 5, 6})) = 3
ASSUME SetToSeqs({1, 2}) = {<<1, 2>>, <<2, 1>>}
ASSUME SetToSortSeq({3, 1, 2}, Less) = <<1, 2, 3>>
ASSUME Reverse(<<1, 2, 3>>) = <<3, 2, 1>> /\ Reverse(<<>>) = <<>>
ASSUME Remove(<<1, 2, 1, 3>>, 1) = <<2, 3>>
ASSUME ReplaceAll(<<1, 2, 1>>, 1, 4) = <<4, 2, 4>>
ASSUME InsertAt(<<1, 2, 3>>, 2, 9) = <<1, 9, 2, 3>>
ASSUME ReplaceAt(<<1, 2, 3>>, 2, 9) = <<1, 9, 3>>
ASSUME RemoveAt(<<1, 2, 3>>, 2) = <<1, 3>>
ASSUME Cons(0, <<1>>) = <<0, 1>> /\ Front(<<1, 2, 3>>) = <<1, 2>> /\ Last(<<1, 2, 3>>) = 3
ASSUME IsPrefix(<<1>>, <<1, 2>>) /\ IsPrefix(<<>>, <<>>) /\ ~IsPrefix(<<2>>, <<1, 2>>)
ASSUME IsStrictPrefix(<<1>>, <<1, 2>>) /\ ~IsStrictPrefix(<<1>>, <<1>>)
ASSUME IsSuffix(<<2>>, <<1, 2>>) /\ ~IsStrictSuffix(<<1, 2>>, <<1, 2>>)
ASSUME Prefixes(<<1, 2>>) = {<<>>, <<1>>, <<1, 2>>}
ASSUME Contains(<<3, 4>>, 4) /\ ~Contains(<<>>, 4)
ASSUME FlattenSeq(<<<<1, 2>>, <<>>, <<3>>>>) = <<1, 2, 3>>
ASSUME FoldSeq(LAMBDA x, y : x + y, 0, <<1, 2, 3>>) = 6
ASSUME FoldLeft(LAMBDA acc, x : acc * 10 + x, 0, <<1, 2, 3>>) = 123
ASSUME FoldRight(LAMBDA x, acc : acc * 10 + x, <<1, 2, 3>>, 0) = 321
ASSUME SelectInSeq(<<5, 6, 7>>, LAMBDA x : x > 5) = 2 /\ SelectInSeq(<<5>>, LAMBDA x : x > 5) = 0
ASSUME Cardinality(BoundedSeq({1, 2}, 2)) = 7 /\ BoundedSeq({1, 2}, 2) = SeqOf({1, 2}, 2)
ASSUME Cardinality(TupleOf({1, 2}, 3)) = 8
Init == s = <<>>
Next == \/ \E x \in 1..2 : Len(s) < 3 /\ s' = Cons(x, s)
        \/ s' = Reverse(s)
        \/ s # <<>> /\ s' = Front(s)
=============================================================================
