---- MODULE Defined ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Defined
variables queue = <<>>, seen = {};
define
  (* Two operators and an invariant of several lines. *)
  Size == Len(queue)
  Has(x) ==
    \E i \in 1..Len(queue) :
      queue[i] = x
  Inv == /\ Size <= 2
         /\ \/ seen = {}
            \/ \A x \in seen : x \in 1..3 \* all of them
end define
macro enqueue(x) begin
  await Size < 2 /\ ~Has(x);
  queue := Append(queue, x);
end macro
process P \in 1..3
begin
e: enqueue(self);
d: await Head(queue) = self;
   queue := Tail(queue);
   seen := seen \union {self};
end process
end algorithm
*)
====
