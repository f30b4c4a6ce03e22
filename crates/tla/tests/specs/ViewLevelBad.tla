---- MODULE ViewLevelBad ----
(* A view that tells the steps of a behaviour apart: the same state may be met again at every level. *)
EXTENDS Naturals, TLC

VARIABLE x

Init == x = 0
Next == x' \in {x, x + 1}
View == <<x, TLCGet("level")>>
Within == TLCGet("level") < 6
Small == x < 5
====
