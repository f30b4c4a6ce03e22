---- MODULE Macros ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Macros
variables a = [i \in 1..3 |-> i], r = [left |-> 0, right |-> 0], moved = 0;
macro Swap(f, i, j)
begin
  f[i] := f[j] || f[j] := f[i];
  moved := moved + 1;
end macro
macro Set(where, what)
begin
  where := what;
end macro
macro Both(u, v)
begin
  Set(r.left, u + 1);
end macro
begin
S1: Swap(a, 1, 2);
S2: Swap(a, 2, 3);
S3: Both(a[1], 0);
S4: Set(r.right, r.left * (a[2] + 1));
S5: Set(a[r.left - 2], 9);
S6: assert moved = 2;
end algorithm
*)
====
