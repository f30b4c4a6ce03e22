---- MODULE Bags ----
EXTENDS TLC
LOCAL INSTANCE Naturals

BagToSet(B) == DOMAIN B
CopiesIn(e, B) == IF e \in DOMAIN B THEN B[e] ELSE 0
B1 \sqsubseteq B2 == \A e \in DOMAIN B1 : e \in DOMAIN B2 /\ B1[e] <= B2[e]
BagOfAll(F(_), B) ==
    LET images == {F(e) : e \in DOMAIN B}
        RECURSIVE Total(_)
        Total(S) == IF S = {} THEN 0 ELSE LET e == CHOOSE e \in S : TRUE IN B[e] + Total(S \ {e})
    IN  [i \in images |-> Total({e \in DOMAIN B : F(e) = i})]
====
