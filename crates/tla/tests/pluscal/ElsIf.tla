---- MODULE ElsIf ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm ElsIf
variables n \in 0..6, kind = "none", steps = 0;
begin
Start:
  if n = 0 then
    kind := "zero";
  elsif n = 1 then
    One: kind := "one";
    More: steps := steps + 1;
  elsif n % 2 = 0 then
    kind := "even";
    steps := 2;
  else
    kind := "odd";
  end if;
Finish:
  assert kind # "none";
  steps := steps + 1;
end algorithm
*)
====
