"""What PySyncObj takes for the world: the clock, the randomness, the poller and the journal of the node that runs."""

from collections.abc import Mapping
from typing import Any

import shakedown
from journal import DiskJournal

# An election timeout is then two to six ticks, and a leader sends entries at every tick.
TICKS_PER_SECOND = 4


class Surroundings:
    """The surroundings of the node whose call is being done. A host does one call at a time."""

    env: shakedown.Env
    _disk: Mapping[str, Any]

    def enter(self, env: shakedown.Env, disk: Mapping[str, Any] | None = None) -> None:
        """A call of a node begins."""
        self.env = env
        if disk is not None:
            self._disk = disk

    def seconds(self) -> float:
        """In place of the clock."""
        return self.env.now / TICKS_PER_SECOND

    def random(self) -> float:
        """In place of `random.random`."""
        return self.env.random.unit()

    def has_journal(self) -> bool:
        """Whether the target's options ask for a journal on disk."""
        return self.env.options.get("journal", "true") == "true"

    def journal(self) -> DiskJournal:
        """The journal of a node that boots, with what survived."""
        return DiskJournal(self.env, self._disk)


SURROUNDINGS = Surroundings()


class NoEvents:
    """A poller without sockets."""

    def subscribe(self, descr: Any, callback: Any, eventMask: Any) -> None:
        raise RuntimeError("PySyncObj opens a socket or a pipe")

    def unsubscribe(self, descr: Any) -> None:
        pass

    def poll(self, timeout: float) -> None:
        pass
