"""Releases of PySyncObj, side by side in one process, each with its surroundings taken over."""

import importlib
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from surroundings import SURROUNDINGS, NoEvents

NEWEST = "0.3.17"
HOSTS = Path(__file__).resolve().parent / "../../target/hosts"
# No dumps: the log is never compacted.
NEVER = 1 << 40


@dataclass(frozen=True)
class Release:
    """What the adapter needs of a release."""

    sequence: Any
    """Makes a node of the library from a transport."""
    peer: Any
    """Makes the library's name of a node from its number."""
    success: int
    """The reason that callbacks get when a command was applied."""


@cache
def load(version: str) -> Release:
    """Loads a release that setup.sh has installed."""
    folder = HOSTS / f"pysyncobj-{version}"
    if not re.fullmatch(r"[0-9.]+", version) or not folder.is_dir():
        raise RuntimeError(f"PySyncObj {version} is not installed: targets/pysyncobj/setup.sh lists and installs releases")
    sys.path.insert(0, str(folder))
    try:
        library = importlib.import_module("pysyncobj")
        syncobj = importlib.import_module("pysyncobj.syncobj")
        node = importlib.import_module("pysyncobj.node")
    finally:
        # The next release has the same name.
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name.partition(".")[0] == "pysyncobj"]:
            del sys.modules[name]
    if syncobj.VERSION != version:
        raise RuntimeError(f"{folder} holds PySyncObj {syncobj.VERSION}: run targets/pysyncobj/setup.sh again")
    _take_over(syncobj)
    return Release(_sequence_of(library), _peer_of(node), library.FAIL_REASON.SUCCESS)


def _take_over(syncobj: ModuleType) -> None:
    """Gives other meanings to what the library's main module has imported."""
    in_memory = syncobj.createJournal
    meanings = {
        "monotonicTime": SURROUNDINGS.seconds,
        "random": SURROUNDINGS,
        "createPoller": lambda kind: NoEvents(),
        "createJournal": lambda file: SURROUNDINGS.journal() if SURROUNDINGS.has_journal() else in_memory(None),
    }
    for name, meaning in meanings.items():
        # A release that has moved one of them would look at the real world unnoticed.
        if not hasattr(syncobj, name):
            raise RuntimeError(f"this release of PySyncObj has no {name} to take over")
        setattr(syncobj, name, meaning)


def _sequence_of(library: ModuleType) -> Any:
    class Sequence(library.SyncObj):  # type: ignore[misc, name-defined]
        """A replicated sequence."""

        def __init__(self, wire: Any) -> None:
            self.values: list[Any] = []
            conf = library.SyncObjConf(autoTick=False, logCompactionMinEntries=NEVER, logCompactionMinTime=NEVER)
            super().__init__(wire.self_node, wire.peers, conf, transport=wire)

        @library.replicated  # type: ignore[untyped-decorator]
        def append(self, value: Any) -> int:
            self.values.append(value)
            return len(self.values)

    return Sequence


def _peer_of(node: ModuleType) -> Any:
    class Peer(node.Node):  # type: ignore[misc, name-defined]
        """A node of the cluster, by its number."""

        def __init__(self, number: int) -> None:
            super().__init__(f"n{number}")
            self.number = number

        def __hash__(self) -> int:
            return self.number

    return Peer
