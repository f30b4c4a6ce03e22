------------------------------- MODULE CaseIf -------------------------------
\* CASE with and without OTHER, nested; IF as a value and as an action.
EXTENDS Naturals

VARIABLES light, count

After(c) == CASE c = "red"    -> "green"
              [] c = "green"  -> "yellow"
              [] OTHER        -> "red"

ASSUME After("red") = "green" /\ After("blue") = "red"
ASSUME (CASE FALSE -> 1 [] TRUE -> 2) = 2
ASSUME (CASE 1 > 2 -> "a" [] 1 < 2 -> CASE TRUE -> "b" [] OTHER -> "c") = "b"
ASSUME (IF 1 = 2 THEN "x" ELSE IF 2 = 2 THEN "y" ELSE "z") = "y"
ASSUME 1 + (IF TRUE THEN 1 ELSE 2) = 2
\* an IF takes all that follows ELSE
ASSUME ~(IF TRUE THEN FALSE ELSE TRUE /\ TRUE)

Init == light = "red" /\ count = 0

Next == /\ light' = After(light)
        /\ CASE light = "red"   -> count' = count + 1
             [] light = "green" -> UNCHANGED count
             [] OTHER           -> IF count > 3
                                   THEN count' \in {0, 1}
                                   ELSE /\ count' \in {count, count + 1}
                                        /\ count < 9

Fine == light \in {"red", "green", "yellow"} /\ count \in 0..6
=============================================================================
