"""A node's surroundings, and how it acts on them."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from .codec import Codec
from .limits import INTEGER_MAX, SENDS_MAX
from .plain import BadValue
from .random import Random

_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}", re.ASCII)
# Names that were checked before. The bound keeps it small whatever a node makes up.
_NAMES_MAX: Final = 1000
_names: Final[set[str]] = set()
# Depth of an item of the reply: inside of a list, inside of the reply.
_DEPTH: Final = 2


class Env:
    """What a node knows of its surroundings, and how it acts on them. It belongs to one life of one node.

    What a node does is collected and leaves when the call returns: first what is written, then what is sent. Values are
    encoded at once, so a node may change them afterwards. A method that is used wrongly (a node that does not exist, a value that
    cannot be encoded) raises a `ValueError`.
    """

    __slots__ = (
        "_answers",
        "_codec",
        "_disk",
        "_facts",
        "_sends",
        "_timers",
        "id",
        "life",
        "nodes",
        "now",
        "options",
        "random",
    )

    id: int
    """The number of the node, counted from 1."""
    nodes: int
    """How many nodes the cluster has: they are numbered from 1 to this."""
    life: int
    """Counts the lives of the node, from 1: a node that comes back after a crash has one more."""
    now: int
    """How many ticks the node has seen, over all its lives."""
    options: Mapping[str, str]
    """The options of the target."""
    random: Random
    """The only source of randomness that a node may use."""

    def __init__(
        self, codec: Codec, *, id: int, nodes: int, life: int, now: int, seed: int, options: Mapping[str, str]
    ) -> None:
        self.id = id
        self.nodes = nodes
        self.life = life
        self.now = now
        self.options = options
        self.random = Random(seed)
        self._codec = codec
        self._sends: list[bytes] = []
        self._answers: list[bytes] = []
        self._facts: list[bytes] = []
        self._timers: list[bytes] = []
        self._disk: list[bytes] = []

    @property
    def peers(self) -> list[int]:
        """The other nodes, in the order of their numbers."""
        return [node for node in range(1, self.nodes + 1) if node != self.id]

    def send(self, to: int, kind: str, message: Any = None, *, text: str = "") -> None:
        """Sends a message to a node. Its kind is one word, such as `Append`; a text may add a few words for diagrams."""
        if type(to) is not int or not 1 <= to <= self.nodes:
            raise ValueError(f"a message is sent to node {to} of {self.nodes}")
        if len(self._sends) >= SENDS_MAX:
            raise ValueError(f"more than {SENDS_MAX} messages are sent in one call")
        if kind not in _names:
            _check_name("kind", kind)
        item = {"to": to, "kind": kind, "message": message}
        if text:
            item["text"] = text
        self._sends.append(self._encoded(item, "message", kind))

    def broadcast(self, kind: str, message: Any = None, *, text: str = "") -> None:
        """Sends a message to every other node, in the order of their numbers."""
        for to in range(1, self.nodes + 1):
            if to != self.id:
                self.send(to, kind, message, text=text)

    def answer(self, id: int, answer: Any = None) -> None:
        """Answers a request of a client. Any node may answer; the first answer counts."""
        _check_count("the number of a request", id)
        self._answers.append(self._encoded({"id": id, "answer": answer}, "answer", str(id)))

    def fact(self, name: str, /, **fields: int | bool | str) -> None:
        """Reports that something happened inside the node, such as a commit or a new role."""
        _check_name("fact", name)
        for field, value in fields.items():
            _check_name("field of a fact", field)
            if not isinstance(value, (int, str)):
                raise ValueError(f"field {field} of fact {name} is no integer, truth value or text")
        self._facts.append(self._encoded({"name": name, "fields": fields}, "fact", name))

    def set_timer(self, name: str, ticks: int) -> None:
        """Sets a timer, or sets it anew: it goes off after this number of ticks."""
        _check_name("timer", name)
        _check_count("the ticks of a timer", ticks)
        self._timers.append(self._encoded({"set": name, "ticks": ticks}, "timer", name))

    def cancel_timer(self, name: str) -> None:
        """Cancels a timer."""
        _check_name("timer", name)
        self._timers.append(self._encoded({"cancel": name}, "timer", name))

    def write(self, put: Mapping[str, Any] | None = None, delete: Iterable[str] = ()) -> None:
        """Changes the disk. One write is atomic: a crash keeps all of its changes or none."""
        put = dict(put or {})
        delete = list(delete)
        if len({*put, *delete}) != len(put) + len(delete):
            raise ValueError("one write changes a key of the disk twice")
        item: dict[str, Any] = {}
        if put:
            item["put"] = put
        if delete:
            item["delete"] = delete
        self._disk.append(self._encoded(item, "write of", ", ".join(map(str, put))))

    def put(self, key: str, value: Any) -> None:
        """Lets a key of the disk hold a value: a write with one change."""
        self.write({key: value})

    def delete(self, key: str) -> None:
        """Takes a key of the disk away: a write with one change."""
        self.write(delete=[key])

    def flush(self) -> None:
        """Makes everything that was written so far durable."""
        self._disk.append(self._codec.encode({"flush": True}))

    def _encoded(self, item: dict[str, Any], what: str, name: str) -> bytes:
        try:
            return self._codec.encode(item, _DEPTH)
        except BadValue as error:
            raise BadValue(f"{what} {name}: {error}") from None

    def _take(self) -> dict[str, bytes]:
        """What the node did in this call: the fields of the reply. It begins anew."""
        fields: dict[str, bytes] = {}
        if self._sends:
            fields["sends"] = self._codec.list_of(self._sends)
            self._sends.clear()
        if self._answers:
            fields["answers"] = self._codec.list_of(self._answers)
            self._answers.clear()
        if self._facts:
            fields["facts"] = self._codec.list_of(self._facts)
            self._facts.clear()
        if self._timers:
            fields["timers"] = self._codec.list_of(self._timers)
            self._timers.clear()
        if self._disk:
            fields["disk"] = self._codec.list_of(self._disk)
            self._disk.clear()
        return fields


def _check_name(what: str, name: str) -> None:
    if name in _names:
        return
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"the name {name!r} of a {what} is not one word of letters, digits, _, -, . and :")
    if len(_names) < _NAMES_MAX:
        _names.add(name)


def _check_count(what: str, count: int) -> None:
    if type(count) is not int or not 0 <= count <= INTEGER_MAX:
        raise ValueError(f"{what} is {count!r}, not a number from 0 to 2⁶⁴ − 1")
