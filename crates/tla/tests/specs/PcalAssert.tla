----------------------------- MODULE PcalAssert -----------------------------
\* PlusCal: an assertion that a race breaks.
EXTENDS Naturals, TLC
(* --algorithm Race
variables total = 0, done = 0;
process adder \in 1..2
variables seen = 0;
begin
  Read:  seen := total;
  Write: total := seen + 1;
  Done_: done := done + 1;
         assert done = 2 => total = 2;
end process;
end algorithm; *)
\* BEGIN TRANSLATION - the hash of the PCal code: PCal-5d8f076c3f2d361b6544d60d5cf3ef34
VARIABLES total, done, pc, seen

vars == << total, done, pc, seen >>

ProcSet == (1..2)

Init == (* Global variables *)
        /\ total = 0
        /\ done = 0
        (* Process adder *)
        /\ seen = [self \in 1..2 |-> 0]
        /\ pc = [self \in ProcSet |-> "Read"]

Read(self) == /\ pc[self] = "Read"
              /\ seen' = [seen EXCEPT ![self] = total]
              /\ pc' = [pc EXCEPT ![self] = "Write"]
              /\ UNCHANGED << total, done >>

Write(self) == /\ pc[self] = "Write"
               /\ total' = seen[self] + 1
               /\ pc' = [pc EXCEPT ![self] = "Done_"]
               /\ UNCHANGED << done, seen >>

Done_(self) == /\ pc[self] = "Done_"
               /\ done' = done + 1
               /\ Assert(done' = 2 => total = 2, 
                         "Failure of assertion at line 12, column 10.")
               /\ pc' = [pc EXCEPT ![self] = "Done"]
               /\ UNCHANGED << total, seen >>

adder(self) == Read(self) \/ Write(self) \/ Done_(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in 1..2: adder(self))
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION - the hash of the generated TLA code (remove to silence divergence warnings): TLA-dd822a3e5f56c7091d569923b703b2f3
=============================================================================
