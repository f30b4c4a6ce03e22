"""The replicated register of the book as a host of Shakedown.

Messages may overtake each other on the network, and then a backup goes back to an older version. With the option
versions=true it does not.
"""

from collections.abc import Mapping
from typing import Any

import shakedown
from register import Ack, Register, Replicate

PRIMARY = 1


class Server(shakedown.Node):
    """Drives a register."""

    def boot(self, env: shakedown.Env, disk: Mapping[str, Any]) -> None:
        self.register = Register(env.options.get("versions") == "true")
        # The clients whose writes not all backups hold yet, by version.
        self.clients: dict[int, int] = {}

    def request(self, env: shakedown.Env, id: int, request: Any) -> None:
        """Takes a write: the request is the value, the answer its version."""
        if env.id != PRIMARY:
            return
        m = self.register.write(request)
        self.clients[m.version] = id
        env.broadcast("Replicate", m, text=f"version {m.version} is {m.value}")

    def receive(self, env: shakedown.Env, sender: int, kind: str, message: Any) -> None:
        """Takes a message of the primary at a backup, and of a backup at the primary."""
        match kind:
            case "Replicate":
                ack = self.register.replicate(Replicate(**message))
                env.send(sender, "Ack", ack, text=f"version {ack.version}")
            case "Ack":
                m = Ack(**message)
                if self.register.acknowledged(m, env.nodes - 1):
                    env.answer(self.clients.pop(m.version), m.version)

    def state(self) -> Mapping[str, Any]:
        """Shows the version and the value."""
        return {"version": self.register.version, "value": self.register.value}


if __name__ == "__main__":
    shakedown.serve(Server, name="register", version="register 1.0", kinds=["Replicate", "Ack"])
