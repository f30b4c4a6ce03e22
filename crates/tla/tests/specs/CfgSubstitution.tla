-------------------------- MODULE CfgSubstitution --------------------------
\* `<-` in the configuration: of constants, of a constant operator and of a definition, and of one in another module.
EXTENDS CfgSubstitutionLib
CONSTANTS Size, Pick(_), Names
VARIABLES i, word
MySize == 2 + 2
MyPick(n) == n * 2
MyNames == {"ann", "bob"}
Slow(n) == CHOOSE m \in Nat : m > n         \* cannot be evaluated: replaced
Quick(n) == n + 1
NatSmall == 0..20
LibLimit == 7
ASSUME Size = 4 /\ Pick(3) = 6 /\ Slow(4) = 5 /\ Limit = 7 /\ OverLimit = 8
Init == i = 0 /\ word \in Names
Next == \/ i < Size /\ i' = Slow(i) /\ UNCHANGED word
        \/ i' = Pick(i) /\ i' < OverLimit /\ word' \in Names
Fine == i \in Nat
=============================================================================
