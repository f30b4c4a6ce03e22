---- MODULE ShiViz ----
LOCAL INSTANCE Integers
LOCAL INSTANCE Json
LOCAL INSTANCE TLC
INSTANCE Toolbox

\* Which process made the step into each state: the one whose control state differs, else that of the step before.
LOCAL HostOf[i \in DOMAIN _TETrace] ==
    IF i = 1 THEN "--"
    ELSE LET before == _TETrace[i - 1].pc
             after == _TETrace[i].pc
         IN  IF before = after THEN HostOf[i - 1] ELSE CHOOSE p \in DOMAIN before : before[p] # after[p]
LOCAL ClockOf[i \in DOMAIN _TETrace] ==
    LET processes == DOMAIN _TETrace[i].pc
    IN  IF i = 1 THEN [p \in processes |-> 0]
        ELSE LET earlier == TLCEval(ClockOf[i - 1])
             IN  [p \in processes |-> IF p = HostOf[i] THEN earlier[p] + 1 ELSE earlier[p]]
Host == HostOf[_TEPosition]
Clock == ToJsonObject(ClockOf[_TEPosition])
====
