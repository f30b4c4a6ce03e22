---- MODULE Parallel ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Parallel
variables a = 1, b = 2, f = [x \in 1..3 |-> x], g = [p |-> 1, q |-> [s |-> 2, t |-> 3]];
begin
One: a := b || b := a;
Two: f[1] := f[2] || a := a + 1 || f[2] := f[3] || f[3] := f[1];
Three: g.p := g.q.s || g.q.s := g.q.t || g.q.t := g.p;
Four: f[a] := 7 || g.q := [s |-> f[1], t |-> f[a]];
end algorithm
*)
====
