---- MODULE AddedLabels ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm AddedLabels
variables x = 0, y = 0;
procedure Half(v = 0)
begin
  x := x + v;
  if v > 1 then
    call Half(v \div 2);
  end if;
  return;
end procedure
begin
  x := 1;
  while x < 6 do
    y := y + 1;
    with d \in {1, 2} do
      x := x + d;
    end with;
    either x := x + 1; or skip; end either;
    y := y + 1;
  end while;
  call Half(4);
  print <<x, y>>;
  y := 0;
end algorithm
*)
====
