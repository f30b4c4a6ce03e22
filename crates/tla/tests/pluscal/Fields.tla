---- MODULE Fields ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Fields {
  variables box = [top |-> <<1, 2>>, len |-> 2], top = 5;
  {
    a: box.top[1] := top;
    b: box.len := Len(box.top) + box.top[1];
       top := box.len;
    c: box := [top |-> <<top>>, len |-> top];
       assert box.top = <<top>>;
  }
}
*)
====
