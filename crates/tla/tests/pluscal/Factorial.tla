---- MODULE Factorial ----
EXTENDS Naturals, Sequences, TLC
(*
--fair algorithm Factorial
variables result = 1;
procedure Fact(k = 0)
variable seen = 0;
begin
F1: seen := k;
F3: if k > 1 then
      result := result * k;
      call Fact(k - 1);
    end if;
F2: assert seen = k;
    return;
end procedure
begin
Main: call Fact(4);
After: assert result = 24;
end algorithm
*)
====
