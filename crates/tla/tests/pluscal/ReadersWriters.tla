---- MODULE ReadersWriters ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm ReadersWriters
variables readers = {}, writer = "nobody", data = 0;
process Reader \in {"r1", "r2"}
variables copy = 0;
begin
R0: while copy < 2 do
      await writer = "nobody";
      readers := readers \union {self};
R1:   copy := data;
R2:   readers := readers \ {self};
    end while;
end process
process Writer = "w"
begin
W0: while data < 2 do
      await readers = {} /\ writer = "nobody";
      writer := "w";
W1:   data := data + 1;
W2:   writer := "nobody";
    end while;
end process
end algorithm
*)
Safe == writer # "nobody" => readers = {}
====
