---- MODULE SameNames ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm SameNames
variables n = 0;
procedure work(x = 1)
variables y = 2;
begin
start: n := n + x + y;
       x := x + 1;
next:  y := x + n;
back:  return;
end procedure
process left = "l"
variables x = 10, y = [z |-> 1];
begin
start: x := x + y.z;
       call work(x);
next:  n := n + x;
       y.z := 3;
end process
process right \in {"r", "s"}
variables x = 20;
begin
start: call work(x);
next:  x := n;
       goto finish;
skipped: x := 0;
finish: skip;
end process
end algorithm
*)
====
