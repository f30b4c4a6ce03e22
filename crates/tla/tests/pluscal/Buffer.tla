---- MODULE Buffer ----
EXTENDS Naturals, Sequences, TLC
(*
--algorithm Buffer
variables buffer = <<>>, taken = {};
define
  Room == Len(buffer) < 2
  Full == ~ Room
  Ok == /\ Len(buffer) <= 2
        /\ taken \subseteq 1..3
end define;
fair process Producer = "producer"
variable item = 1;
begin
put: while item <= 3 do
       await Room;
       buffer := Append(buffer, item);
       item := item + 1;
     end while;
end process
fair process Consumer = "consumer"
variable one;
begin
get: while taken # 1..3 do
       await buffer # <<>>;
       one := Head(buffer);
       buffer := Tail(buffer);
       taken := taken \union {one};
     end while;
end process
end algorithm
*)
====
