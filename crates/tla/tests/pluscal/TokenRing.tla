---- MODULE TokenRing ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm TokenRing
variables token = 0, rounds = 0;
fair process Node \in 0..3
variables count = 0, color = "white";
begin
n0: while rounds < 2 do
      await token = self \/ rounds >= 2;
      if rounds < 2 then
        count := count + 1;
        color := IF color = "white" THEN "black" ELSE "white";
        token := (token + 1) % 4;
        if self = 3 then
          rounds := rounds + 1;
        end if;
      end if;
    end while;
end process
end algorithm
*)
====
