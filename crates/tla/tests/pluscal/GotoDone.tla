---- MODULE GotoDone ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm GotoDone
variables tries = 0, ok = FALSE;
begin
try:
  tries := tries + 1;
  either
    ok := TRUE;
    goto Done;
  or
    if tries < 3 then goto try; end if;
  end either;
fail:
  ok := FALSE;
end algorithm
*)
====
