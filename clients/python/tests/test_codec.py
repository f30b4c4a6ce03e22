"""Both encodings: what they take, what they refuse, and that nothing makes them fail in another way."""

import enum
import math
import random
from dataclasses import dataclass
from typing import Any

import pytest
from shakedown import BadValue, as_bytes
from shakedown.jsontext import Json, parse, write
from shakedown.msgpack import MessagePack, pack, unpack


class Role(enum.StrEnum):
    LEADER = "leader"


class Level(enum.IntEnum):
    HIGH = 3


@dataclass
class Point:
    x: int
    y: Any


@pytest.mark.parametrize("encode", [pack, write])
@pytest.mark.parametrize(
    ("value", "twin"),
    [
        (Point(1, Point(2, [])), {"x": 1, "y": {"x": 2, "y": []}}),
        ((1, 2), [1, 2]),
        (Role.LEADER, "leader"),
        (Level.HIGH, 3),
        (bytearray(b"ab"), b"ab"),
        ([True, 1, 1.0], [True, 1, 1.0]),
    ],
)
def test_other_types_become_values_of_the_protocol(encode: Any, value: object, twin: object) -> None:
    assert encode(value) == encode(twin)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("encode", [pack, write])
@pytest.mark.parametrize(
    "value",
    [{1, 2}, object(), {1: 2}, 1 << 64, -(1 << 63) - 1, math.nan, math.inf, "\ud800", {"\ud800": 1}, nested(129), len],
    ids=repr,
)
def test_what_is_no_value_cannot_be_written(encode: Any, value: object) -> None:
    with pytest.raises(BadValue):
        encode(value)


def test_the_greatest_depth_can_be_written_and_read() -> None:
    assert unpack(pack(nested(128))) == parse(write(nested(128))) == nested(128)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"{",
        b"1 2",
        b"NaN",
        b"1e999",
        b"18446744073709551616",
        b"-9223372036854775809",
        b"[" + b"9" * 10_000 + b"]",
        b'"\xff"',
        b'"\\ud800"',
        b"[" * 129 + b"]" * 129,
        b"[" * 200_000,
        b'{"a":1}x',
    ],
)
def test_bad_lines_are_errors(line: bytes) -> None:
    with pytest.raises(BadValue):
        parse(line)


def test_lines_may_have_spaces_around() -> None:
    assert parse(b' \t{"a": [1, 2]}\r\n') == {"a": [1, 2]}


def test_bytes_are_read_from_both_encodings() -> None:
    assert as_bytes(parse(write(b"\xff\x00"))) == as_bytes(unpack(pack(b"\xff\x00"))) == b"\xff\x00"
    for bad in ("*", 1, None):
        with pytest.raises(BadValue):
            as_bytes(bad)


def drawn(source: random.Random, depth: int = 0) -> Any:
    """A value of the protocol, at random."""
    texts = ["", "a", "key", "Größe", "日本", "x" * 40, "y" * 300, '"\\\n']
    match source.randrange(9 if depth < 4 else 7):
        case 0:
            return None
        case 1:
            return source.random() < 0.5
        case 2:
            return source.randrange(-40, 300)
        case 3:
            return source.randrange(-(1 << 63), 1 << 64)
        case 4:
            return source.uniform(-1e9, 1e9)
        case 5 | 6:
            return source.choice(texts)
        case 7:
            return [drawn(source, depth + 1) for _ in range(source.randrange(20))]
    return {source.choice(texts) + str(n): drawn(source, depth + 1) for n in range(source.randrange(20))}


def test_values_survive_both_encodings() -> None:
    source = random.Random(1)
    for _ in range(300):
        value = drawn(source)
        assert repr(unpack(pack(value))) == repr(value)
        assert repr(parse(write(value))) == repr(value)


@pytest.mark.parametrize("codec", [MessagePack(), Json()])
def test_damaged_frames_are_bad_values_and_nothing_else(codec: Any) -> None:
    source = random.Random(2)
    refused = 0
    for _ in range(3000):
        frame = bytearray(codec.encode(drawn(source)))
        for _ in range(source.randrange(1, 4)):
            frame[source.randrange(len(frame))] = source.randrange(256)
        try:
            codec.decode(bytes(frame[: source.randrange(1, len(frame) + 1)]))
        except BadValue:
            refused += 1
    assert refused > 1000


@pytest.mark.parametrize("codec", [MessagePack(), Json()])
def test_pieces_make_the_same_as_the_whole(codec: Any) -> None:
    items = [codec.encode(item) for item in range(20)]
    fields = {f"field{n}": item for n, item in enumerate(items)}
    assert codec.list_of(items) == codec.encode(list(range(20)))
    assert codec.map_of(fields) == codec.encode({f"field{n}": n for n in range(20)})
