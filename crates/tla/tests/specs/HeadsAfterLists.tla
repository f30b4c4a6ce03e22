---- MODULE HeadsAfterLists ----
\* Definitions that begin right of the conjunction list before them, after a comment.
EXTENDS Naturals

VARIABLES x, y

(*Defn*)Init==
  /\ x = 0
  /\ y = 0

(*Defn*)Step(n)==
  /\ x < n
  /\ x' = x + 1
  /\ LET (*Defn*)double ==
           /\ n > 0
           /\ 2 * x = y
         (*Defn*)next(k) == IF double
                            THEN k + 2
                            ELSE k
     IN
     /\ y' = next(y)
     /\ double

(*Defn*)Next== \/ Step(3)
               \/ /\ x = 3
                  /\ UNCHANGED <<x, y>>

(*Defn*)Bound ==
  /\ x <= 3
  /\ y <= 6

(*Defn*)a ++ b == /\ a /\ b
(*Defn*)Inv == Bound ++ (y = 2 * x)
(*Defn*)Later == Bound /\
  TRUE /\ y # 6
====
