---- MODULE Semaphore ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Semaphore
variables sem = 1, inside = 0;
macro P(s) begin await s > 0; s := s - 1; end macro
macro V(s) begin s := s + 1; end macro
fair+ process Worker \in 1..3
variables done = FALSE;
begin
enter: P(sem);
work:  inside := inside + 1;
leave: inside := inside - 1;
       V(sem);
       done := TRUE;
end process
end algorithm
*)
One == inside <= 1
====
