"""MessagePack, as far as the node protocol uses it.

This is most of what a call costs, so the two functions that walk through values handle the common forms in place: short
texts and small numbers as the values of maps.
"""

import math
import struct
from collections.abc import Callable
from typing import Any, Final

from .limits import DEPTH_MAX, FRAME_MAX, INTEGER_MAX, INTEGER_MIN
from .plain import BadValue, plain

_SMALL: Final = [bytes([number]) for number in range(128)]
_TEXT_HEADS: Final = [bytes([0xA0 + length]) for length in range(32)]
_LIST_HEADS: Final = [bytes([0x90 + length]) for length in range(16)]
_MAP_HEADS: Final = [bytes([0x80 + length]) for length in range(16)]
_FLOAT: Final = struct.Struct(">d")
_HEADED_FLOAT: Final = struct.Struct(">Bd")

# Short keys that were encoded before: the names of fields come again and again. The bound keeps it small whatever a node
# sends.
_KNOWN_MAX: Final = 4096
_known: Final[dict[str, bytes]] = {}


class MessagePack:
    """The encoding `msgpack`."""

    name: Final = "msgpack"
    __slots__ = ()

    def decode(self, frame: bytes) -> Any:
        """Reads the one value of a frame. It raises `BadValue` if it is malformed."""
        return unpack(frame)

    def encode(self, value: object, depth: int = 0) -> bytes:
        """Writes a value. It raises `BadValue` if it is none of the protocol."""
        return pack(value, depth)

    def list_of(self, items: list[bytes]) -> bytes:
        """A list of values that are encoded."""
        return _list_head(len(items)) + b"".join(items)

    def map_of(self, fields: dict[str, bytes]) -> bytes:
        """A map to values that are encoded."""
        parts = [_map_head(len(fields))]
        for name, value in fields.items():
            parts.append(_known.get(name) or _key(name))
            parts.append(value)
        return b"".join(parts)

    def framed(self, value: bytes) -> bytes:
        """A frame with this value."""
        return len(value).to_bytes(4, "big") + value


def unpack(data: bytes) -> Any:
    """Reads one value and nothing else."""
    try:
        value, at = _read(data, 0, 0)
    except IndexError:
        raise BadValue("the value ends early") from None
    except UnicodeDecodeError:
        raise BadValue("a text is not UTF-8") from None
    if at > len(data):
        raise BadValue("the value ends early")
    if at < len(data):
        raise BadValue(f"{len(data) - at} bytes follow the value")
    return value


def _read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    """Reads the value that begins at a place; gives it and the place behind it.

    A text that ends early is cut short, and the place is then behind the end of the data: either the next access to the
    data raises an `IndexError`, or `unpack` compares the place with the length.
    """
    head = data[at]
    at += 1
    if head < 0x80:
        return head, at
    if head < 0x90:
        return _read_map(data, at, head & 0x0F, depth)
    if head < 0xA0:
        return _read_list(data, at, head & 0x0F, depth)
    if head < 0xC0:
        end = at + (head & 0x1F)
        return data[at:end].decode(), end
    if head >= 0xE0:
        return head - 0x100, at
    return _READERS[head - 0xC0](data, at, depth)


def _read_map(data: bytes, at: int, count: int, depth: int) -> tuple[dict[str, Any], int]:
    if depth >= DEPTH_MAX:
        raise BadValue(f"lists and maps are nested deeper than {DEPTH_MAX}")
    depth += 1
    result: dict[str, Any] = {}
    for _ in range(count):
        head = data[at]
        if 0xA0 <= head < 0xC0:
            end = at + head - 0x9F
            key = data[at + 1 : end].decode()
        elif 0xD9 <= head <= 0xDB:
            key, end = _read(data, at, depth)
        else:
            raise BadValue("the key of a map is no text")
        head = data[end]
        if head < 0x80:
            result[key] = head
            at = end + 1
        elif 0xA0 <= head < 0xC0:
            at = end + head - 0x9F
            result[key] = data[end + 1 : at].decode()
        else:
            result[key], at = _read(data, end, depth)
    return result, at


def _read_list(data: bytes, at: int, count: int, depth: int) -> tuple[list[Any], int]:
    if depth >= DEPTH_MAX:
        raise BadValue(f"lists and maps are nested deeper than {DEPTH_MAX}")
    depth += 1
    result: list[Any] = []
    for _ in range(count):
        head = data[at]
        if head < 0x80:
            result.append(head)
            at += 1
        else:
            value, at = _read(data, at, depth)
            result.append(value)
    return result, at


_Reader = Callable[[bytes, int, int], tuple[Any, int]]


def _constant(value: object) -> _Reader:
    return lambda data, at, depth: (value, at)


def _number(size: int, signed: bool) -> _Reader:
    def read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
        end = at + size
        return int.from_bytes(data[at:end], "big", signed=signed), end

    return read


def _read_float(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if at + 8 > len(data):
        raise IndexError
    return _FLOAT.unpack_from(data, at)[0], at + 8


def _read_short_float(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if at + 4 > len(data):
        raise IndexError
    return struct.unpack_from(">f", data, at)[0], at + 4


def _length(data: bytes, at: int, size: int) -> tuple[int, int]:
    begin = at + size
    if begin > len(data):
        raise IndexError
    return int.from_bytes(data[at:begin], "big"), begin


def _long_text(size: int) -> _Reader:
    def read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
        length, at = _length(data, at, size)
        return data[at : at + length].decode(), at + length

    return read


def _long_bytes(size: int) -> _Reader:
    def read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
        length, at = _length(data, at, size)
        return data[at : at + length], at + length

    return read


def _long_list(size: int) -> _Reader:
    def read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
        length, at = _length(data, at, size)
        return _read_list(data, at, length, depth)

    return read


def _long_map(size: int) -> _Reader:
    def read(data: bytes, at: int, depth: int) -> tuple[Any, int]:
        length, at = _length(data, at, size)
        return _read_map(data, at, length, depth)

    return read


def _unknown(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    raise BadValue(f"byte {at} is {data[at - 1]:#04x}: no value of the protocol begins with it")


# From 0xc0 to 0xdf; extensions are no values of the protocol.
_READERS: Final[list[_Reader]] = [
    *[_constant(None), _unknown, _constant(False), _constant(True)],
    *[_long_bytes(1), _long_bytes(2), _long_bytes(4)],
    *[_unknown, _unknown, _unknown],
    *[_read_short_float, _read_float],
    *[_number(1, False), _number(2, False), _number(4, False), _number(8, False)],
    *[_number(1, True), _number(2, True), _number(4, True), _number(8, True)],
    *[_unknown, _unknown, _unknown, _unknown, _unknown],
    *[_long_text(1), _long_text(2), _long_text(4)],
    *[_long_list(2), _long_list(4), _long_map(2), _long_map(4)],
]


def pack(value: object, depth: int = 0) -> bytes:
    """Writes one value in its shortest form, at a depth."""
    kind = type(value)
    if kind is int or kind is str:
        return _integer(value) if kind is int else _text(value)  # type: ignore[arg-type]
    parts: list[bytes] = []
    _write(value, parts.append, depth)
    return b"".join(parts)


def _write(value: Any, add: Callable[[bytes], None], depth: int) -> None:
    kind = type(value)
    if kind is int:
        add(_SMALL[value] if 0 <= value < 128 else _integer(value))
    elif kind is str:
        add(_text(value))
    elif kind is dict:
        _write_map(value, add, depth)
    elif kind is list or kind is tuple:
        if depth >= DEPTH_MAX:
            raise BadValue(f"lists and maps are nested deeper than {DEPTH_MAX}")
        add(_list_head(len(value)))
        for item in value:
            _write(item, add, depth + 1)
    elif value is None:
        add(b"\xc0")
    elif kind is bool:
        add(b"\xc3" if value else b"\xc2")
    elif kind is float:
        if not math.isfinite(value):
            raise BadValue(f"{value} is no value of the protocol")
        add(_HEADED_FLOAT.pack(0xCB, value))
    elif kind is bytes:
        add(_bytes_head(len(value)) + value)
    else:
        _write(plain(value), add, depth)


def _write_map(value: dict[Any, Any], add: Callable[[bytes], None], depth: int) -> None:
    if depth >= DEPTH_MAX:
        raise BadValue(f"lists and maps are nested deeper than {DEPTH_MAX}")
    add(_map_head(len(value)))
    for key, item in value.items():
        if type(key) is not str:
            raise BadValue(f"the key {key!r} of a map is no text")
        add(_known.get(key) or _key(key))
        if type(item) is int and 0 <= item < 128:
            add(_SMALL[item])
        else:
            _write(item, add, depth + 1)


def _integer(value: int) -> bytes:
    if value >= 0:
        if value < 0x80:
            return _SMALL[value]
        if value <= 0xFF:
            return b"\xcc" + value.to_bytes(1, "big")
        if value <= 0xFFFF:
            return b"\xcd" + value.to_bytes(2, "big")
        if value <= 0xFFFF_FFFF:
            return b"\xce" + value.to_bytes(4, "big")
        if value <= INTEGER_MAX:
            return b"\xcf" + value.to_bytes(8, "big")
    elif value >= -0x20:
        return (0x100 + value).to_bytes(1, "big")
    elif value >= -0x80:
        return b"\xd0" + value.to_bytes(1, "big", signed=True)
    elif value >= -0x8000:
        return b"\xd1" + value.to_bytes(2, "big", signed=True)
    elif value >= -0x8000_0000:
        return b"\xd2" + value.to_bytes(4, "big", signed=True)
    elif value >= INTEGER_MIN:
        return b"\xd3" + value.to_bytes(8, "big", signed=True)
    raise BadValue("an integer is outside of −2⁶³ to 2⁶⁴ − 1")


def _text(value: str) -> bytes:
    try:
        data = value.encode()
    except UnicodeEncodeError:
        raise BadValue("a text has a lone surrogate inside") from None
    length = len(data)
    if length < 32:
        return _TEXT_HEADS[length] + data
    return _head(length, (0xD9, 0xDA, 0xDB)) + data


def _key(name: str) -> bytes:
    encoded = _text(name)
    if len(_known) < _KNOWN_MAX and len(encoded) <= 32:
        _known[name] = encoded
    return encoded


def _bytes_head(length: int) -> bytes:
    return _head(length, (0xC4, 0xC5, 0xC6))


def _list_head(length: int) -> bytes:
    return _LIST_HEADS[length] if length < 16 else _head(length, (None, 0xDC, 0xDD))


def _map_head(length: int) -> bytes:
    return _MAP_HEADS[length] if length < 16 else _head(length, (None, 0xDE, 0xDF))


def _head(length: int, heads: tuple[int | None, int, int]) -> bytes:
    short, middle, long = heads
    if short is not None and length <= 0xFF:
        return bytes([short, length])
    if length <= 0xFFFF:
        return middle.to_bytes(1, "big") + length.to_bytes(2, "big")
    if length <= FRAME_MAX:
        return long.to_bytes(1, "big") + length.to_bytes(4, "big")
    raise BadValue(f"a value has {length} bytes or items; the limit of a frame is {FRAME_MAX} bytes")
