---- MODULE Nesting ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Nesting
variables x = 0, y = 0;
begin
a: while x < 2 do
     y := 0;
b:   while y < 2 do
       y := y + 1;
       if y = 1 then
         either
c:         skip;
         or
           if x = 1 then goto e; end if;
         end either;
       end if;
     end while;
     x := x + 1;
d:   skip;
   end while;
   y := 5;
e: assert y > 0;
end algorithm
*)
====
