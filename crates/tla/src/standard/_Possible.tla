---- MODULE _Possible ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE TLC

\* How often each predicate of `_POSSIBLE` was true, for a postcondition.
_Counts == TLCGet("all:named")["s:_possible"][1]

_CheckName(name) ==
  IF name \in DOMAIN _Counts THEN _Counts[name] > 0 \/ (PrintT(_Counts) /\ FALSE) ELSE PrintT(_Counts) /\ FALSE

_PrintCounts == PrintT(_Counts)
====
