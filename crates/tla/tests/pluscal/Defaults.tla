---- MODULE Defaults ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Defaults
variables shared, known = {};
process A \in {1, 2}
variables own, start \in {0, 5}, copy = {self};
begin
x1: own := start + self;
x2: known := known \union {own} \union copy;
    shared := own;
end process
end algorithm
*)
====
