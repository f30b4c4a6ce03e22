"""Which Python values are values of the node protocol, and how others become one."""

import base64
import binascii
import dataclasses
from collections.abc import Mapping
from typing import Any, Final

_FIELDS_MAX: Final = 1000


class BadValue(ValueError):
    """A value that cannot be read or written."""


# The fields of dataclasses that were seen before.
_fields: Final[dict[type, tuple[str, ...]]] = {}


def _fields_of(kind: type) -> tuple[str, ...]:
    names = tuple(field.name for field in dataclasses.fields(kind))
    if len(_fields) < _FIELDS_MAX:
        _fields[kind] = names
    return names


def plain(value: Any) -> Any:
    """The value of the protocol that something else stands for, one level deep: a dataclass is a map of its fields."""
    kind = type(value)
    if kind in _fields or dataclasses.is_dataclass(kind):
        return {name: getattr(value, name) for name in _fields.get(kind) or _fields_of(kind)}
    # Types that are derived from those of the protocol, such as enumerations.
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        raise BadValue("a set is no value of the protocol, because it has no order: send a sorted list")
    raise BadValue(f"a {type(value).__name__} is no value of the protocol")


def as_bytes(value: object) -> bytes:
    """The bytes of a message, a request or a value on disk.

    JSON has no bytes: there they arrive as a text in base64. This takes both.
    """
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise BadValue(f"a text is no base64: {error}") from None
    raise BadValue(f"a {type(value).__name__} where bytes belong")
