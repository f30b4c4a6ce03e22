"""A host as the whole of a process: its standard streams, its garbage collector, the seed of its hashes."""

import gc
import os
import sys
from collections.abc import Sequence
from typing import Final

from .host import Host, HostError
from .node import Node

# Objects between two collections of young garbage. A host makes little garbage that refers to itself, so looking for it
# seldom costs little memory and saves time.
_YOUNG_MAX: Final = 20_000


def serve(kind: type[Node], *, name: str, version: str, kinds: Sequence[str] = ()) -> None:
    """Serves nodes of a class on standard input and output until the input ends. A program calls it once, as its last act.

    `name` and `version` are what is under test: "register", "register 1.0". `kinds` are the kinds of messages that
    nodes send; it may be left out.

    It takes both streams away from the rest of the program, for good: what else is written to standard output goes to
    standard error, and standard input is empty. If the hashes of texts have a random seed, the program is started again with
    the fixed one, so that the order of a set of texts is the same in every process. A caller that does not speak the
    protocol ends the program with status 1.
    """
    host = Host(kind, name=name, version=version, kinds=kinds)
    _fix_hashes()
    source, target = _take_streams()
    gc.freeze()
    gc.set_threshold(_YOUNG_MAX, 10, 10)
    try:
        host.serve_on(source, target)
    except HostError as error:
        print(f"shakedown: {error}", file=sys.stderr)
        sys.exit(1)
    except (BrokenPipeError, KeyboardInterrupt):
        # The caller is gone.
        sys.exit(1)


def _fix_hashes() -> None:
    if sys.flags.hash_randomization and sys.executable and os.environ.get("PYTHONHASHSEED", "random") == "random":
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _take_streams() -> tuple[int, int]:
    """Gives the descriptors of the calls and of the replies."""
    sys.stdout.flush()
    source, target = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # What is printed shows when it is printed, not when the program ends.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(line_buffering=True)
    return source, target
