--------------------------- MODULE SlidingWindow ---------------------------
(***************************************************************************)
(* Go-back-N: a sender has at most a window of messages on the way that    *)
(* are not acknowledged, and starts again with the oldest when it has      *)
(* waited for too long. The channels keep the order and lose messages.     *)
(* A model with many states and cheap steps: for measuring size.           *)
(***************************************************************************)
EXTENDS Naturals, Sequences

CONSTANTS
  Messages, \* how many there are to send
  Window,   \* how many may be on the way
  Capacity  \* how many a channel holds

VARIABLES
  base, \* the oldest message that is not acknowledged, to the sender
  next, \* the message that is sent next
  want, \* the message that the receiver waits for
  data, \* on the way to the receiver
  acks  \* on the way to the sender: the message that the receiver waited for

vars == <<base, next, want, data, acks>>

Init ==
  /\ base = 0 /\ next = 0 /\ want = 0
  /\ data = <<>> /\ acks = <<>>

Send ==
  /\ next < Messages /\ next < base + Window
  /\ Len(data) < Capacity
  /\ data' = Append(data, next)
  /\ next' = next + 1
  /\ UNCHANGED <<base, want, acks>>

\* The sender has waited for too long.
GoBack ==
  /\ next > base
  /\ next' = base
  /\ UNCHANGED <<base, want, data, acks>>

Receive ==
  /\ data # <<>> /\ Len(acks) < Capacity
  /\ data' = Tail(data)
  /\ want' = IF Head(data) = want THEN want + 1 ELSE want
  /\ acks' = Append(acks, want')
  /\ UNCHANGED <<base, next>>

Acknowledge ==
  /\ acks # <<>>
  /\ acks' = Tail(acks)
  /\ base' = IF Head(acks) > base THEN Head(acks) ELSE base
  /\ next' = IF next < base' THEN base' ELSE next
  /\ UNCHANGED <<want, data>>

LoseData == data # <<>> /\ data' = Tail(data) /\ UNCHANGED <<base, next, want, acks>>
LoseAck == acks # <<>> /\ acks' = Tail(acks) /\ UNCHANGED <<base, next, want, data>>

Next == Send \/ GoBack \/ Receive \/ Acknowledge \/ LoseData \/ LoseAck

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* The sender knows less than the receiver, and neither knows of what was not sent.
Order == base <= want /\ want <= Messages /\ base <= next /\ next <= base + Window

\* Nothing on the way is older than a window, or new to the sender.
Fresh == /\ \A i \in 1..Len(acks) : acks[i] <= want
         /\ \A i \in 1..Len(data) : data[i] < want + Window
=============================================================================
