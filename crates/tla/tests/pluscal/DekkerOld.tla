---- MODULE DekkerOld ----
EXTENDS Integers, TLC
(*
--algorithm DekkerOld
variables flag = [i \in {0, 1} |-> FALSE], turn = 0;
fair process P \in {0, 1}
begin
d0: while TRUE do
      flag[self] := TRUE;
d1:   while flag[1 - self] do
        if turn # self then
d2:       flag[self] := FALSE;
d3:       await turn = self;
d4:       flag[self] := TRUE;
        end if;
      end while;
crit: skip;
d5:   turn := 1 - self;
d6:   flag[self] := FALSE;
    end while;
end process
end algorithm
*)
Mutex == \E i \in {0, 1} : pc[i] # "crit"
====
