---- MODULE Toolbox ----
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE TLC

_TEPosition ==
    LET level == TLCGet("level") IN IF level >= Len(_TETrace) THEN Len(_TETrace) ELSE IF level = 0 THEN 1 ELSE level
====
