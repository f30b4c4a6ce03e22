"""A replicated register as a host of Shakedown. Put your own protocol in its place."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import shakedown


@dataclass
class Replicate:
    """A message of the primary, node 1: hold this value, it has this version."""

    version: int
    value: int


class Server(shakedown.Node):
    """One node."""

    def boot(self, env: shakedown.Env, disk: Mapping[str, Any]) -> None:
        self.version = 0
        self.value = 0

    def request(self, env: shakedown.Env, id: int, request: Any) -> None:
        """Takes a write: the request is the value, the answer its version."""
        if env.id == 1:
            self.version, self.value = self.version + 1, request
            env.broadcast("Replicate", Replicate(self.version, self.value))
            env.answer(id, self.version)

    def receive(self, env: shakedown.Env, sender: int, kind: str, message: Any) -> None:
        """Takes a message at a backup.

        An old one must not overwrite a newer value: take the condition away, and Shakedown finds out.
        """
        m = Replicate(**message)
        if m.version > self.version:
            self.version, self.value = m.version, m.value

    def state(self) -> Mapping[str, Any]:
        """Shows what the properties are about."""
        return {"version": self.version, "value": self.value}


if __name__ == "__main__":
    shakedown.serve(Server, name="NAME", version="NAME 1.0", kinds=["Replicate"])
