---- MODULE TLCExt ----
LOCAL INSTANCE TLC

TLCCache(expression, closure) == expression
PickSuccessor(expression) == TRUE
TLCNoOp(value) == value
TLCGetAndSet(key, Op(_, _), value, default) ==
    LET old == TLCGetOrDefault(key, default) IN IF TLCSet(key, Op(old, value)) THEN old ELSE old
ToTrace(graph) ==
    LET positions == {pair[1] : pair \in graph.state}
    IN  [i \in positions |-> (CHOOSE pair \in graph.state : pair[1] = i)[2]]
====
