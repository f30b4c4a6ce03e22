---------------------------- MODULE MessageSoup ----------------------------
\* A set of records as the network: sent is never lost, may be received twice.
EXTENDS Naturals, FiniteSets
CONSTANT Node
VARIABLES net, got
Msg == [from : Node, to : Node, what : {"ping", "pong"}]
Init == net = {} /\ got = [n \in Node |-> {}]
Ping(a, b) == a # b /\ net' = net \cup {[from |-> a, to |-> b, what |-> "ping"]} /\ UNCHANGED got
Recv(m) == /\ got' = [got EXCEPT ![m.to] = @ \cup {m.what}]
           /\ IF m.what = "ping"
              THEN net' = net \cup {[from |-> m.to, to |-> m.from, what |-> "pong"]}
              ELSE net' = net
Next == (\E a, b \in Node : Ping(a, b)) \/ (\E m \in net : Recv(m))
Typed == net \subseteq Msg /\ got \in [Node -> SUBSET {"ping", "pong"}]
PongNeedsPing == \A m \in net : m.what = "pong" => \E k \in net : k.what = "ping" /\ k.from = m.to /\ k.to = m.from
=============================================================================
