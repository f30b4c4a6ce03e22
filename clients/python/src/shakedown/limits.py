"""The limits of the node protocol."""

from typing import Final

FRAME_MAX: Final = 16 << 20
"""Bytes of a frame."""

DEPTH_MAX: Final = 128
"""Lists and maps inside each other."""

SENDS_MAX: Final = 10_000
"""Messages in one reply."""

INTEGER_MIN: Final = -(1 << 63)
INTEGER_MAX: Final = (1 << 64) - 1
