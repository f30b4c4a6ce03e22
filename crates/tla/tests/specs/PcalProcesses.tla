--------------------------- MODULE PcalProcesses ---------------------------
\* PlusCal: processes of a set and a single one, await, with, either, goto, while, local variables.
EXTENDS Naturals
(* --algorithm Pantry
variables shelf = 0, closed = FALSE;
define
  Bounded == shelf \in 0..3
end define;
process cook \in {"ann", "bob"}
variables made = 0;
begin
  Bake:
    while made < 2 do
      await shelf < 3;
      either
        shelf := shelf + 1;
      or
        with k \in {1, 2} do
          await shelf + k <= 3;
          shelf := shelf + k;
        end with;
      end either;
  Count:
      made := made + 1;
    end while;
end process;
process guest = "zoe"
begin
  Eat:
    if shelf > 0 then
      shelf := shelf - 1;
      goto Eat;
    else
      either skip; or goto Eat; end either;
    end if;
  Leave:
    closed := TRUE;
end process;
end algorithm; *)
\* BEGIN TRANSLATION - the hash of the PCal code: PCal-819ac8e4d8735ec3f5af09d02264c073
VARIABLES shelf, closed, pc

(* define statement *)
Bounded == shelf \in 0..3

VARIABLE made

vars == << shelf, closed, pc, made >>

ProcSet == ({"ann", "bob"}) \cup {"zoe"}

Init == (* Global variables *)
        /\ shelf = 0
        /\ closed = FALSE
        (* Process cook *)
        /\ made = [self \in {"ann", "bob"} |-> 0]
        /\ pc = [self \in ProcSet |-> CASE self \in {"ann", "bob"} -> "Bake"
                                        [] self = "zoe" -> "Eat"]

Bake(self) == /\ pc[self] = "Bake"
              /\ IF made[self] < 2
                    THEN /\ shelf < 3
                         /\ \/ /\ shelf' = shelf + 1
                            \/ /\ \E k \in {1, 2}:
                                    /\ shelf + k <= 3
                                    /\ shelf' = shelf + k
                         /\ pc' = [pc EXCEPT ![self] = "Count"]
                    ELSE /\ pc' = [pc EXCEPT ![self] = "Done"]
                         /\ shelf' = shelf
              /\ UNCHANGED << closed, made >>

Count(self) == /\ pc[self] = "Count"
               /\ made' = [made EXCEPT ![self] = made[self] + 1]
               /\ pc' = [pc EXCEPT ![self] = "Bake"]
               /\ UNCHANGED << shelf, closed >>

cook(self) == Bake(self) \/ Count(self)

Eat == /\ pc["zoe"] = "Eat"
       /\ IF shelf > 0
             THEN /\ shelf' = shelf - 1
                  /\ pc' = [pc EXCEPT !["zoe"] = "Eat"]
             ELSE /\ \/ /\ TRUE
                        /\ pc' = [pc EXCEPT !["zoe"] = "Leave"]
                     \/ /\ pc' = [pc EXCEPT !["zoe"] = "Eat"]
                  /\ shelf' = shelf
       /\ UNCHANGED << closed, made >>

Leave == /\ pc["zoe"] = "Leave"
         /\ closed' = TRUE
         /\ pc' = [pc EXCEPT !["zoe"] = "Done"]
         /\ UNCHANGED << shelf, made >>

guest == Eat \/ Leave

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == guest
           \/ (\E self \in {"ann", "bob"}: cook(self))
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION - the hash of the generated TLA code (remove to silence divergence warnings): TLA-0766bec5ddde283a6355e1b8e1ed736e
=============================================================================
