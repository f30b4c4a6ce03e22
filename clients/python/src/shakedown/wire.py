"""Frames on two file descriptors: one system call to read a call, one to write its reply, where that is possible."""

import os
from typing import Final

from .limits import FRAME_MAX

_CHUNK: Final = 64 << 10


class BadFrame(Exception):
    """The input is not what the protocol says."""


class Wire:
    """Reads frames from one descriptor and writes them to another."""

    __slots__ = ("_rest", "_source", "_target")

    def __init__(self, source: int, target: int) -> None:
        self._source = source
        self._target = target
        self._rest = b""

    def line(self) -> bytes | None:
        """Reads a line with its end. None if the input ends before it begins."""
        data = self._rest or os.read(self._source, _CHUNK)
        end = data.find(b"\n") + 1
        # Nearly always it has arrived at once and nothing follows it.
        if end and end == len(data) and end <= FRAME_MAX:
            self._rest = b""
            return data
        return self._long_line(data, end)

    def _long_line(self, data: bytes, end: int) -> bytes | None:
        if not data:
            return None
        gathered = bytearray(data)
        while not end:
            if len(gathered) > FRAME_MAX:
                raise BadFrame(f"a line of more than {FRAME_MAX} bytes")
            data = os.read(self._source, _CHUNK)
            if not data:
                raise BadFrame("the input ends inside of a line")
            searched = len(gathered)
            gathered += data
            end = gathered.find(b"\n", searched) + 1
        if end > FRAME_MAX:
            raise BadFrame(f"a line of more than {FRAME_MAX} bytes")
        self._rest = bytes(gathered[end:])
        return bytes(gathered[:end])

    def packed(self) -> bytes | None:
        """Reads what follows a length of four bytes. None if the input ends before it begins."""
        data = self._rest or os.read(self._source, _CHUNK)
        if len(data) >= 4 and int.from_bytes(data[:4], "big") == len(data) - 4:
            self._rest = b""
            return data[4:]
        return self._long_packed(data)

    def _long_packed(self, data: bytes) -> bytes | None:
        if not data:
            return None
        data = self._at_least(data, 4)
        length = int.from_bytes(data[:4], "big")
        if length > FRAME_MAX:
            raise BadFrame(f"a frame of {length} bytes; the limit is {FRAME_MAX}")
        end = 4 + length
        data = self._at_least(data, end)
        self._rest = data[end:]
        return data[4:end]

    def _at_least(self, data: bytes, size: int) -> bytes:
        """Reads on. It reserves no more than what arrives: the length is only a promise."""
        if len(data) >= size:
            return data
        gathered = bytearray(data)
        while len(gathered) < size:
            data = os.read(self._source, _CHUNK)
            if not data:
                raise BadFrame("the input ends inside of a frame")
            gathered += data
        return bytes(gathered)

    def write(self, frame: bytes) -> None:
        """Writes a frame."""
        written = os.write(self._target, frame)
        while written < len(frame):
            # A pipe takes a long frame piece by piece.
            written += os.write(self._target, memoryview(frame)[written:])
