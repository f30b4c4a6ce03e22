---- MODULE Barrier ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Barrier
variables waiting = 0, phase = 0;
procedure Arrive()
variables mine = 0;
begin
b1: mine := phase;
    waiting := waiting + 1;
b2: if waiting = 2 then
      waiting := 0;
      phase := phase + 1;
    else
b3:   await phase # mine;
    end if;
b4: return;
end procedure
fair process W \in 1..2
variable round = 0;
begin
w1: while round < 2 do
      call Arrive();
w2:   round := round + 1;
    end while;
end process
end algorithm
*)
====
