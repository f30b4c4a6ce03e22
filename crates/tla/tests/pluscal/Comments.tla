---- MODULE Comments ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Comments
(* a comment (* inside another *) *)
variables x = 0, \* to the end of the line
	  s = "a (* string *) \\ \" with \\* signs";
begin
	a: (* before *) x := 1; \* behind
	   print s;
b:	if x = 1 then (* then *) x := 2; else x := 3; end if;
end algorithm
*)
====
