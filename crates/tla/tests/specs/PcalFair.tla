------------------------------ MODULE PcalFair ------------------------------
\* PlusCal, C syntax: fair processes that end, a macro, and a lock with a queue of tickets.
EXTENDS Naturals
CONSTANT N
(* --fair algorithm Tickets {
  variables next = 0, now = 0, shared = 0;
  macro bump(v) { v := v + 1; }
  fair process (p \in 1..N)
    variable mine = 0;
  { take:   mine := next;
            bump(next);
    wait:   await now = mine;
    inside: shared := shared + self;
    leave:  bump(now);
  }
} *)
\* BEGIN TRANSLATION - the hash of the PCal code: PCal-93ce4aa463fd8ae94965f628c92059c5
VARIABLES next, now, shared, pc, mine

vars == << next, now, shared, pc, mine >>

ProcSet == (1..N)

Init == (* Global variables *)
        /\ next = 0
        /\ now = 0
        /\ shared = 0
        (* Process p *)
        /\ mine = [self \in 1..N |-> 0]
        /\ pc = [self \in ProcSet |-> "take"]

take(self) == /\ pc[self] = "take"
              /\ mine' = [mine EXCEPT ![self] = next]
              /\ next' = next + 1
              /\ pc' = [pc EXCEPT ![self] = "wait"]
              /\ UNCHANGED << now, shared >>

wait(self) == /\ pc[self] = "wait"
              /\ now = mine[self]
              /\ pc' = [pc EXCEPT ![self] = "inside"]
              /\ UNCHANGED << next, now, shared, mine >>

inside(self) == /\ pc[self] = "inside"
                /\ shared' = shared + self
                /\ pc' = [pc EXCEPT ![self] = "leave"]
                /\ UNCHANGED << next, now, mine >>

leave(self) == /\ pc[self] = "leave"
               /\ now' = now + 1
               /\ pc' = [pc EXCEPT ![self] = "Done"]
               /\ UNCHANGED << next, shared, mine >>

p(self) == take(self) \/ wait(self) \/ inside(self) \/ leave(self)

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == (\E self \in 1..N: p(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ WF_vars(Next)
        /\ \A self \in 1..N : WF_vars(p(self))

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION - the hash of the generated TLA code (remove to silence divergence warnings): TLA-f649700b85f578ff1dd0f4f6b71bf58c
Exclusive == \A i, j \in 1..N : pc[i] = "inside" /\ pc[j] = "inside" => i = j
=============================================================================
