"""What a call carries, checked: nothing that a caller writes is taken on trust."""

import re
from collections.abc import Mapping
from typing import Any, Final

from .limits import INTEGER_MAX

_SEED: Final = re.compile(r"[0-9A-Fa-f]{16}", re.ASCII)
_NODES_MAX: Final = 1 << 16


class BadCall(Exception):
    """A call that cannot be done. The host ends: it does not guess."""


def count_of(call: Mapping[str, Any], field: str) -> int:
    """A field that is a number and not negative."""
    try:
        value = call[field]
    except KeyError:
        raise BadCall(f"the field {field} is missing") from None
    # A truth value is an int to Python.
    if type(value) is not int or not 0 <= value <= INTEGER_MAX:
        raise BadCall(f"{field}: {value!r} is no number")
    return value


def node_of(call: Mapping[str, Any], field: str, nodes: int) -> int:
    """A field that is the number of a node."""
    number = count_of(call, field)
    if not 1 <= number <= nodes:
        raise BadCall(f"{field}: there is no node {number} of {nodes}")
    return number


def text_of(call: Mapping[str, Any], field: str) -> str:
    """A field that is a text."""
    value = call.get(field)
    if type(value) is not str:
        raise BadCall(f"{field}: {value!r} is no text" if field in call else f"the field {field} is missing")
    return value


def value_of(call: Mapping[str, Any], field: str) -> Any:
    """A field that is any value, and is there."""
    try:
        return call[field]
    except KeyError:
        raise BadCall(f"the field {field} is missing") from None


class Boot:
    """The fields of the call `boot`."""

    __slots__ = ("disk", "id", "life", "nodes", "now", "options", "seed")

    def __init__(self, call: Mapping[str, Any]) -> None:
        self.nodes = count_of(call, "nodes")
        if self.nodes > _NODES_MAX:
            raise BadCall(f"nodes: {self.nodes} are too many; the limit is {_NODES_MAX}")
        self.id = node_of(call, "id", self.nodes)
        self.life = count_of(call, "life")
        self.now = count_of(call, "now")
        digits = text_of(call, "seed")
        if not _SEED.fullmatch(digits):
            raise BadCall(f"seed: {digits!r} is not sixteen hexadecimal digits")
        self.seed = int(digits, 16)
        self.options: dict[str, str] = call.get("options", {})
        if type(self.options) is not dict or any(type(value) is not str for value in self.options.values()):
            raise BadCall("options: they are no map from texts to texts")
        self.disk: dict[str, Any] = call.get("disk", {})
        if type(self.disk) is not dict:
            raise BadCall("disk: it is no map")
