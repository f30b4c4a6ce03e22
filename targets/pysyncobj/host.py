"""A host of PySyncObj: `python3 host.py`. The option `release` chooses which of the releases that setup.sh has installed is under test.

PySyncObj looks at a clock, draws random numbers, runs a thread and opens sockets and files. No line of it is changed; names that
its main module has imported are given other meanings (release.py), and the rest is by its own interfaces:

- the clock: `monotonicTime` is the number of ticks that the node has seen, four to a second. It stands still within a call.
- randomness: `random.random`, which election timeouts are drawn from, draws from the node's seed.
- the thread: `autoTick=False`. A tick advances the clock and runs the loop's body (`doTick`) once. So does a message, after
  it was handed over: the thread of PySyncObj goes on at once when its poll returns.
- the network: a transport of its own (wire.py). Messages become values of the node protocol, by name and not by pickle.
- sockets: `createPoller` gives a poller that never has an event, and refuses to watch anything.
- files: `createJournal` gives a journal that writes to the node's disk what `FileJournal` writes to its two files, and when
  it does (journal.py); with the option `journal=false` it gives the library's journal in memory. Dumps and compaction are off.
- hash order: nodes are kept in sets. A peer's hash is its number, so the order of a set is the same everywhere.
"""

import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "../../clients/python/src"))

import shakedown
from release import NEWEST, load
from surroundings import SURROUNDINGS
from wire import Wire
from wording import command_text

# The library's own log is no part of what is under test.
logging.disable(logging.CRITICAL)

ROLES = {0: "follower", 1: "candidate", 2: "leader"}


class Server(shakedown.Node):
    """Drives one node of PySyncObj: a replicated sequence, to which clients append values."""

    def boot(self, env: shakedown.Env, disk: Mapping[str, Any]) -> None:
        SURROUNDINGS.enter(env, disk)
        self.life = env.life
        self.nodes = env.nodes
        release = load(env.options.get("release", NEWEST))
        self.success = release.success
        self.wire = Wire(env, release.peer)
        self.sequence = release.sequence(self.wire)
        self.wire.connect()
        self.sequence.doTick()

    def tick(self, env: shakedown.Env) -> None:
        SURROUNDINGS.enter(env)
        self.sequence.doTick()

    def receive(self, env: shakedown.Env, sender: int, kind: str, message: Any) -> None:
        SURROUNDINGS.enter(env)
        self.wire.arrives(sender, kind, message)
        self.sequence.doTick()

    def request(self, env: shakedown.Env, id: int, request: Any) -> None:
        """Appends a value. The answer is its place, when it is committed and applied."""
        SURROUNDINGS.enter(env)

        def done(place: int | None, error: int) -> None:
            if error == self.success:
                # Perhaps in a later call than this one.
                SURROUNDINGS.env.answer(id, place)

        self.sequence.append(request["append"], callback=done)
        self.sequence.doTick()

    def reconnected(self, env: shakedown.Env, peer: int) -> None:
        SURROUNDINGS.enter(env)
        self.wire.reconnected(peer)

    def disconnected(self, env: shakedown.Env, peer: int) -> None:
        SURROUNDINGS.enter(env)
        self.wire.disconnected(peer)

    def state(self) -> Mapping[str, Any]:
        role = ROLES[self._inner("raftState")]
        match = {peer.number: index for peer, index in self._inner("raftMatchIndex").items()}
        return {
            "role": role,
            "term": self._inner("raftCurrentTerm"),
            "commit": self._inner("raftCommitIndex"),
            "log": [{"term": term, "command": command_text(command)} for command, _, term in self._inner("raftLog")[:]],
            # What the leader holds of others; of no meaning elsewhere.
            "match": [match.get(number, 0) if role == "leader" else 0 for number in range(1, self.nodes + 1)],
            "values": self.sequence.values,
            "life": self.life,
        }

    def _inner(self, name: str) -> Any:
        """A private attribute of the library: what it shows by itself is not enough for the invariants."""
        return getattr(self.sequence, f"_SyncObj__{name}")


if __name__ == "__main__":
    load(NEWEST)
    kinds = ["request_vote", "response_vote", "append_entries", "next_node_idx", "apply_command", "apply_command_response"]
    shakedown.serve(Server, name="pysyncobj", version=f"pysyncobj, by default {NEWEST}", kinds=kinds)
