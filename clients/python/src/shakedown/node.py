"""One process of the protocol under test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .env import Env


class Node:
    """One process of the protocol under test: a class derived from this one, with the methods that the protocol needs.

    Shakedown makes the calls `tick`, `fire`, `request`, `flushed`, `reconnected` and `disconnected` only if the class has a
    method of its own for them. What a node does, it does through its `Env`, and all of it follows from its calls: no clock, no
    random numbers but `env.random`, no thread, no order of a set. An exception that a method raises is a finding.
    """

    def boot(self, env: Env, disk: Mapping[str, Any]) -> None:
        """The node starts: its first life, or a later one with what is left on disk."""

    def receive(self, env: Env, sender: int, kind: str, message: Any) -> None:
        """A message of another node arrives."""
        raise NotImplementedError(f"{type(self).__name__} has no method receive")

    def state(self) -> Mapping[str, Any]:
        """The state as it can be observed. It changes nothing.

        Invariants are stated over it, so it shows what matters and nothing that grows without bound. Only fields that changed
        since the last call are sent.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method state")

    def tick(self, env: Env) -> None:
        """The clock goes on by one."""

    def fire(self, env: Env, timer: str) -> None:
        """A timer goes off."""

    def request(self, env: Env, id: int, request: Any) -> None:
        """A client asks something. The number is what `env.answer` wants, now or later."""

    def flushed(self, env: Env) -> None:
        """Everything written so far is durable (buffered disks only)."""

    def reconnected(self, env: Env, peer: int) -> None:
        """The connection to a peer is back."""

    def disconnected(self, env: Env, peer: int) -> None:
        """The connection to a peer is lost."""


OPTIONAL_CALLS: Final = ("tick", "fire", "request", "flushed", "reconnected", "disconnected")


def calls_of(kind: type[Node]) -> list[str]:
    """The calls that nodes of a class want to hear: those that it has methods of its own for."""
    return [call for call in OPTIONAL_CALLS if getattr(kind, call) is not getattr(Node, call)]
