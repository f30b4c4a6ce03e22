--------------------------- MODULE PcalProcedure ---------------------------
\* PlusCal: a procedure that calls itself; the stack is a variable of the translation.
EXTENDS Naturals, Sequences, TLC
(* --algorithm Power
variables base \in 2..3, result = 1;
procedure raise(n = 0)
variables half = 0;
begin
  Enter:
    if n = 0 then
      return;
    end if;
  Half:
    half := n \div 2;
  Down:
    call raise(half);
  Square:
    result := result * result * (IF n % 2 = 1 THEN base ELSE 1);
    return;
end procedure;
begin
  Start:
    with e \in 0..5 do
      call raise(e);
    end with;
  Check:
    assert \E e \in 0..5 : result = base ^ e;
end algorithm; *)
\* BEGIN TRANSLATION - the hash of the PCal code: PCal-fa562f79cacc8d82ee117d9694677165
VARIABLES base, result, pc, stack, n, half

vars == << base, result, pc, stack, n, half >>

Init == (* Global variables *)
        /\ base \in 2..3
        /\ result = 1
        (* Procedure raise *)
        /\ n = 0
        /\ half = 0
        /\ stack = << >>
        /\ pc = "Start"

Enter == /\ pc = "Enter"
         /\ IF n = 0
               THEN /\ pc' = Head(stack).pc
                    /\ half' = Head(stack).half
                    /\ n' = Head(stack).n
                    /\ stack' = Tail(stack)
               ELSE /\ pc' = "Half"
                    /\ UNCHANGED << stack, n, half >>
         /\ UNCHANGED << base, result >>

Half == /\ pc = "Half"
        /\ half' = (n \div 2)
        /\ pc' = "Down"
        /\ UNCHANGED << base, result, stack, n >>

Down == /\ pc = "Down"
        /\ /\ n' = half
           /\ stack' = << [ procedure |->  "raise",
                            pc        |->  "Square",
                            half      |->  half,
                            n         |->  n ] >>
                        \o stack
        /\ half' = 0
        /\ pc' = "Enter"
        /\ UNCHANGED << base, result >>

Square == /\ pc = "Square"
          /\ result' = result * result * (IF n % 2 = 1 THEN base ELSE 1)
          /\ pc' = Head(stack).pc
          /\ half' = Head(stack).half
          /\ n' = Head(stack).n
          /\ stack' = Tail(stack)
          /\ base' = base

raise == Enter \/ Half \/ Down \/ Square

Start == /\ pc = "Start"
         /\ \E e \in 0..5:
              /\ /\ n' = e
                 /\ stack' = << [ procedure |->  "raise",
                                  pc        |->  "Check",
                                  half      |->  half,
                                  n         |->  n ] >>
                              \o stack
              /\ half' = 0
              /\ pc' = "Enter"
         /\ UNCHANGED << base, result >>

Check == /\ pc = "Check"
         /\ Assert(\E e \in 0..5 : result = base ^ e, 
                   "Failure of assertion at line 27, column 5.")
         /\ pc' = "Done"
         /\ UNCHANGED << base, result, stack, n, half >>

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == raise \/ Start \/ Check
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION - the hash of the generated TLA code (remove to silence divergence warnings): TLA-ddc67cf94d536a0b97e0d9e2fffbf9e6
=============================================================================
