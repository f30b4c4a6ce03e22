---- MODULE LongFair ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm LongFair
variables counter_of_everything = 0;
procedure long_named_procedure(argument = 0)
begin
pfirst:+ await counter_of_everything >= 0;
psecond:- counter_of_everything := counter_of_everything + argument;
pthird: return;
end procedure
fair process long_named_process \in {"first process", "second process"}
begin
lfirst:+ call long_named_procedure(1);
lsecond:- skip;
lthird:- counter_of_everything := counter_of_everything * 2;
end process
fair process single = CHOOSE x \in {"first process", "second process", "third"} :
                        x = "third"
begin
sfirst:+ counter_of_everything := counter_of_everything + 1;
ssecond: skip;
end process
end algorithm
*)
====
