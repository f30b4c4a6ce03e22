------------------------------ MODULE SeqOps ------------------------------
\* Every operator of Sequences.
EXTENDS Sequences, Naturals

VARIABLE s

ASSUME Len(<<>>) = 0 /\ Len(<<7, 8>>) = 2
ASSUME <<1, 2>> \o <<3>> = <<1, 2, 3>> /\ <<1>> \circ <<>> = <<1>>
ASSUME Append(<<1>>, <<2>>) = <<1, <<2>>>>
ASSUME Head(<<4, 5>>) = 4 /\ Tail(<<4, 5, 6>>) = <<5, 6>> /\ Tail(<<4>>) = <<>>
ASSUME SubSeq(<<1, 2, 3, 4>>, 2, 3) = <<2, 3>>
ASSUME SubSeq(<<1, 2, 3, 4>>, 3, 2) = <<>>
ASSUME LET Odd(x) == x % 2 = 1 IN SelectSeq(<<1, 2, 3, 5, 6>>, Odd) = <<1, 3, 5>>
ASSUME SelectSeq(<<3, 1, 2>>, LAMBDA x : x > 1) = <<3, 2>>
ASSUME <<1, 2, 1>> \in Seq({1, 2}) /\ <<>> \in Seq({}) /\ ~(<<3>> \in Seq({1, 2}))
ASSUME DOMAIN <<"a", "b">> = {1, 2}
ASSUME <<5, 6, 7>>[2] = 6
ASSUME Len("hello") = 5 /\ "ab" \o "cd" = "abcd"

Init == s = <<>>

Push(x) == Len(s) < 3 /\ s' = Append(s, x)
Pop     == s # <<>> /\ s' = Tail(s)
Turn    == Len(s) > 1 /\ s' = Tail(s) \o <<Head(s)>>
Double  == Len(s) = 1 /\ s' = s \o s
Keep    == s' = SelectSeq(s, LAMBDA x : x > 1)
Cut     == s' = SubSeq(s, 2, Len(s) - 1)

Next == (\E x \in 1..3 : Push(x)) \/ Pop \/ Turn \/ Double \/ Keep \/ Cut

Typed == s \in Seq(1..3) /\ Len(s) <= 3
=============================================================================
