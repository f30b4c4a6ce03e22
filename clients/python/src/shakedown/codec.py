"""What both encodings of the node protocol have in common."""

from typing import Any, Protocol


class Codec(Protocol):
    """An encoding: it reads calls, and writes replies piece by piece."""

    @property
    def name(self) -> str:
        """Its name in the handshake."""

    def decode(self, frame: bytes) -> Any:
        """Reads the one value of a frame. It raises `BadValue` if it is malformed."""

    def encode(self, value: object, depth: int = 0) -> bytes:
        """Writes a value that is nested this deep. It raises `BadValue` if it is none of the protocol."""

    def list_of(self, items: list[bytes]) -> bytes:
        """A list of values that are encoded."""

    def map_of(self, fields: dict[str, bytes]) -> bytes:
        """A map to values that are encoded."""

    def framed(self, value: bytes) -> bytes:
        """A frame with this value."""
