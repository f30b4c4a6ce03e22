"""A transport of PySyncObj that is the network of Shakedown. Its methods have the names that the library calls."""

from collections.abc import Callable
from typing import Any

import shakedown
from surroundings import SURROUNDINGS
from wording import summary, to_message, to_value


class Wire:
    """Connections are there at boot; they are lost and come back as Shakedown decides."""

    ready = True

    def __init__(self, env: shakedown.Env, peer: Callable[[int], Any]) -> None:
        self.self_node = peer(env.id)
        self.peers = [peer(number) for number in env.peers]
        self._by_number = {node.number: node for node in self.peers}
        self._lost: set[int] = set()
        self._callbacks: dict[str, Callable[..., None]] = {}

    def __getattr__(self, name: str) -> Any:
        """The library registers its callbacks by `setOn…Callback`, for more events than there are here."""
        if name.startswith("setOn") and name.endswith("Callback"):
            event = name.removeprefix("setOn").removesuffix("Callback")
            return lambda *arguments: self._callbacks.update({event: arguments[-1]})
        raise AttributeError(name)

    def tryGetReady(self) -> None:
        pass

    def destroy(self) -> None:
        pass

    def send(self, node: Any, message: dict[str, Any]) -> bool:
        if node.number in self._lost:
            return False
        SURROUNDINGS.env.send(node.number, message["type"], to_value(message), text=summary(message))
        return True

    def connect(self) -> None:
        for node in self.peers:
            self._callbacks["NodeConnected"](node)

    def arrives(self, sender: int, kind: str, value: dict[str, Any]) -> None:
        self._callbacks["MessageReceived"](self._by_number[sender], to_message(kind, value))

    def reconnected(self, number: int) -> None:
        self._lost.discard(number)
        self._callbacks["NodeConnected"](self._by_number[number])

    def disconnected(self, number: int) -> None:
        self._lost.add(number)
        self._callbacks["NodeDisconnected"](self._by_number[number])
