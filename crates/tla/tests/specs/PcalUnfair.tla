----------------------------- MODULE PcalUnfair -----------------------------
\* PlusCal: weak fairness does not get a process through a door that opens and shuts; a + label would.
EXTENDS Naturals
(* --algorithm Door
variables open = FALSE, through = FALSE;
fair process door = "door"
begin
  Swing: while ~through do open := ~open; end while;
end process;
fair process cat = "cat"
begin
  Slip: await open; through := TRUE;
end process;
end algorithm; *)
\* BEGIN TRANSLATION - the hash of the PCal code: PCal-8479e83339953836b856d3278c342d40
VARIABLES open, through, pc

vars == << open, through, pc >>

ProcSet == {"door"} \cup {"cat"}

Init == (* Global variables *)
        /\ open = FALSE
        /\ through = FALSE
        /\ pc = [self \in ProcSet |-> CASE self = "door" -> "Swing"
                                        [] self = "cat" -> "Slip"]

Swing == /\ pc["door"] = "Swing"
         /\ IF ~through
               THEN /\ open' = ~open
                    /\ pc' = [pc EXCEPT !["door"] = "Swing"]
               ELSE /\ pc' = [pc EXCEPT !["door"] = "Done"]
                    /\ open' = open
         /\ UNCHANGED through

door == Swing

Slip == /\ pc["cat"] = "Slip"
        /\ open
        /\ through' = TRUE
        /\ pc' = [pc EXCEPT !["cat"] = "Done"]
        /\ open' = open

cat == Slip

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == door \/ cat
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ WF_vars(door)
        /\ WF_vars(cat)

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION - the hash of the generated TLA code (remove to silence divergence warnings): TLA-470cb70b3d622028c05ce936eeb47b07
=============================================================================
