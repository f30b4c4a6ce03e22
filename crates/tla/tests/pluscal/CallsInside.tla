---- MODULE CallsInside ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm CallsInside {
  variables notes = <<>>;
  procedure note(m) { n1: notes := Append(notes, m); n2: return; }
  fair process (P \in 1..2) variables k = 0; {
    a: while (k < 2) {
      k := k + 1;
      if (k = 1) { with (w \in {k, k + 10}) { call note(w); } }
      else { either call note(0); or { notes := <<>>; goto b; } };
      c: skip;
    };
    b: k := 9;
  }
}
*)
====
