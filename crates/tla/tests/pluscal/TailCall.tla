---- MODULE TailCall ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm TailCall {
  variables trace = <<>>;
  procedure First(a) variables v = 5; {
    f1: trace := Append(trace, <<"first", a, v>>);
    f2: call Second(a + v);
        return;
  }
  procedure Second(b) variables w = 1; {
    s1: trace := Append(trace, <<"second", b, w>>);
        w := w + b;
    s2: if (w < 20) { call Second(w); return; };
    s3: return;
  }
  { m1: call First(2);
    m2: trace := Append(trace, <<"end">>);
    m3: call Second(30);
  }
}
*)
====
