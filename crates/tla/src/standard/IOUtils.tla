---- MODULE IOUtils ----
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

zeroPadN(n, width) ==
    LET RECURSIVE Pad(_)
        Pad(text) == IF Len(text) >= width THEN text ELSE Pad("0" \o text)
    IN  Pad(ToString(n))
====
