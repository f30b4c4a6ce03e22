---- MODULE Mutual ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Mutual
variables even = TRUE, n \in 0..4;
procedure IsEven(e)
begin
E1: if e = 0 then even := TRUE; return; else call IsOdd(e - 1); end if;
E2: return;
end procedure
procedure IsOdd(o)
begin
O1: if o = 0 then even := FALSE; return; else call IsEven(o - 1); end if;
O2: return;
end procedure
begin
M1: call IsEven(n);
M2: assert even = (n % 2 = 0);
end algorithm
*)
====
