---- MODULE ReturnInMacro ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm ReturnInMacro
variables x = 0;
macro finish(v) begin x := v; return; end macro
macro enter(v) begin call p(v); end macro
procedure p(k = 0)
begin
p1: if k > 2 then finish(k); else enter(k + 1); end if;
p2: return;
end procedure
begin
m: enter(1);
n: assert x = 3;
end algorithm
*)
====
