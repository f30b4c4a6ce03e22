"""A journal on the node's disk: it survives a crash exactly as far as PySyncObj's `FileJournal` does.

`FileJournal` writes entries into a mapped file at once, and its meta data (the commit index; since 0.3.16 the term and the vote) into
a second file: the term and the vote at once, the commit index once a second. A crash of the process, which is what the
target's contract has, loses neither file.
"""

from collections.abc import Mapping
from typing import Any

import shakedown


class DiskJournal:
    """Holds entries in memory and on disk. Its methods have the names that the library calls."""

    def __init__(self, env: shakedown.Env, disk: Mapping[str, Any]) -> None:
        self._env = env
        self._entries = [(bytes.fromhex(command), index, term) for command, index, term in disk.get("log", [])]
        self._meta: dict[str, Any] = dict(disk.get("meta", {}))
        self._is_stored = True

    def _write(self) -> None:
        self._env.put("log", [[command.hex(), index, term] for command, index, term in self._entries])

    def _store_meta(self) -> None:
        self._env.put("meta", self._meta)
        self._is_stored = True

    def add(self, command: bytes, idx: int, term: int) -> None:
        self._entries.append((command, idx, term))
        self._write()

    def clear(self) -> None:
        self._entries = []
        self._write()

    def deleteEntriesFrom(self, entryFrom: int) -> None:
        del self._entries[entryFrom:]
        self._write()

    def deleteEntriesTo(self, entryTo: int) -> None:
        self._entries = self._entries[entryTo:]
        self._write()

    def __getitem__(self, item: Any) -> Any:
        return self._entries[item]

    def __len__(self) -> int:
        return len(self._entries)

    def _destroy(self) -> None:
        pass

    def setRaftCommitIndex(self, raftCommitIndex: int) -> None:
        self._meta["raftCommitIndex"] = raftCommitIndex
        self._is_stored = False

    def getRaftCommitIndex(self) -> int:
        return int(self._meta.get("raftCommitIndex", 1))

    def setCurrentTerm(self, term: int, votedForNodeId: Any) -> None:
        self._meta["currentTerm"] = term
        self._meta["votedForNodeId"] = votedForNodeId
        self._store_meta()

    def getCurrentTerm(self) -> int:
        return int(self._meta.get("currentTerm", 0))

    def getVotedForNodeId(self) -> Any:
        return self._meta.get("votedForNodeId")

    def onOneSecondTimer(self) -> None:
        if not self._is_stored:
            self._store_meta()
