"""JSON, as far as the node protocol uses it: one value on one line.

The reader is that of the standard library, which is written in C; what it allows and the protocol does not is looked for by
searches over the whole line, which cost next to nothing. The writer is made here, because the standard one takes keys that
are no texts, numbers that are too large, and NaN.
"""

import json
import math
import re
from base64 import b64encode
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any, Final

from .limits import DEPTH_MAX, INTEGER_MAX, INTEGER_MIN
from .plain import BadValue, plain

_LONG_NUMBER: Final = re.compile(rb"[0-9]{19}")
_SPACES: Final = " \t\r\n"


class Json:
    """The encoding `json`."""

    name: Final = "json"
    __slots__ = ()

    def decode(self, frame: bytes) -> Any:
        """Reads the one value of a line. It raises `BadValue` if it is malformed."""
        return parse(frame)

    def encode(self, value: object, depth: int = 0) -> bytes:
        """Writes a value. It raises `BadValue` if it is none of the protocol."""
        return write(value, depth)

    def list_of(self, items: list[bytes]) -> bytes:
        """A list of values that are encoded."""
        return b"[" + b",".join(items) + b"]"

    def map_of(self, fields: dict[str, bytes]) -> bytes:
        """A map to values that are encoded."""
        return b"{" + b",".join([write(name, 0) + b":" + value for name, value in fields.items()]) + b"}"

    def framed(self, value: bytes) -> bytes:
        """A line with this value."""
        return value + b"\n"


def _constant(name: str) -> Any:
    raise BadValue(f"{name} is no value of the protocol")


def _in_range(digits: str) -> int:
    # A number with thousands of digits is not converted at all: that would take long.
    if len(digits) > 20 or not INTEGER_MIN <= (number := int(digits)) <= INTEGER_MAX:
        raise BadValue("an integer is outside of −2⁶³ to 2⁶⁴ − 1")
    return number


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise BadValue(f"{text} is too large")
    return number


_decoder: Final = json.JSONDecoder(parse_constant=_constant, parse_float=_finite)
_careful: Final = json.JSONDecoder(parse_constant=_constant, parse_float=_finite, parse_int=_in_range)


def parse(line: bytes) -> Any:
    """Reads one value and nothing else."""
    try:
        text = line.decode()
        # Counting digits is cheaper than the search, and most lines have few.
        digits = len(line) - len(line.translate(None, b"0123456789"))
        decoder = _careful if digits >= 19 and _LONG_NUMBER.search(line) else _decoder
        value, end = decoder.raw_decode(text.lstrip(_SPACES) if text[:1] in _SPACES else text)
    except UnicodeDecodeError:
        raise BadValue("the line is not UTF-8") from None
    except RecursionError:
        raise BadValue(f"lists and maps are nested deeper than {DEPTH_MAX}") from None
    except json.JSONDecodeError as error:
        raise BadValue(f"character {error.pos + 1} of the line: {error.msg}") from None
    rest = text.lstrip(_SPACES)[end:] if text[:1] in _SPACES else text[end:]
    if rest and rest.strip(_SPACES):
        raise BadValue("something follows the value")
    # Only a line with this many brackets can be too deep, and only one with an escape can have half a character.
    if line.count(b"[") + line.count(b"{") > DEPTH_MAX or b"\\u" in line:
        write(value, 0)
    return value


def write(value: object, depth: int = 0) -> bytes:
    """Writes one value without line breaks, at a depth."""
    parts: list[str] = []
    _write(value, parts.append, depth)
    try:
        return "".join(parts).encode()
    except UnicodeEncodeError:
        raise BadValue("a text has a lone surrogate inside") from None


def _write(value: Any, add: Callable[[str], None], depth: int) -> None:
    kind = type(value)
    if kind is int:
        if not INTEGER_MIN <= value <= INTEGER_MAX:
            raise BadValue("an integer is outside of −2⁶³ to 2⁶⁴ − 1")
        add(str(value))
    elif kind is str:
        add(encode_basestring(value))
    elif kind is dict or kind is list or kind is tuple:
        if depth >= DEPTH_MAX:
            raise BadValue(f"lists and maps are nested deeper than {DEPTH_MAX}")
        if kind is dict:
            _write_map(value, add, depth)
        else:
            _write_list(value, add, depth)
    elif value is None:
        add("null")
    elif kind is bool:
        add("true" if value else "false")
    elif kind is float:
        if not math.isfinite(value):
            raise BadValue(f"{value} is no value of the protocol")
        add(repr(value))
    elif kind is bytes:
        add(f'"{b64encode(value).decode()}"')
    else:
        _write(plain(value), add, depth)


def _write_map(value: dict[Any, Any], add: Callable[[str], None], depth: int) -> None:
    before = "{"
    for key, item in value.items():
        if type(key) is not str:
            raise BadValue(f"the key {key!r} of a map is no text")
        add(before)
        add(encode_basestring(key))
        add(":")
        _write(item, add, depth + 1)
        before = ","
    add("}" if value else "{}")


def _write_list(value: list[Any], add: Callable[[str], None], depth: int) -> None:
    before = "["
    for item in value:
        add(before)
        _write(item, add, depth + 1)
        before = ","
    add("]" if value else "[]")
