---- MODULE EitherLabels ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm EitherLabels
variables x = 0, y = 0, z = 0;
begin
A:
  either
    x := 1;
  B: y := x + 1;
  or
    y := 2;
    z := y;
  or
    skip;
  C: z := 3;
  D: if z = 3 then goto A; end if;
  end either;
E:
  await x + y < 9;
  x := 7;
end algorithm
*)
====
