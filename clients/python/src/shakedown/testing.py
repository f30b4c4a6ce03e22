"""Makes calls of a host inside a test, as Shakedown does, without a process."""

import json
import os
import threading
from types import TracebackType
from typing import Any

from .codec import Codec
from .host import Host
from .jsontext import Json
from .msgpack import MessagePack
from .wire import BadFrame, Wire


class Client:
    """The other end of a host. Used in a `with` statement, it ends the host's input and raises the error with which the host ends."""

    def __init__(self, host: Host, encoding: str = "msgpack") -> None:
        self._codec: Codec = MessagePack() if encoding == "msgpack" else Json()
        calls, self._calls = os.pipe()
        self._replies, replies = os.pipe()
        self._wire = Wire(self._replies, self._calls)
        self._error: BaseException | None = None
        self._seq = 0
        self._thread = threading.Thread(target=self._serve, args=(host, calls, replies), daemon=True)
        self._thread.start()
        self._wire.write(json.dumps({"call": "hello", "protocol": 1, "encoding": encoding}).encode() + b"\n")
        self.welcome: dict[str, Any] = json.loads(self._wire.line() or b"{}")
        """What the host introduced itself with."""

    def _serve(self, host: Host, calls: int, replies: int) -> None:
        try:
            host.serve_on(calls, replies)
        except BaseException as error:
            self._error = error
        finally:
            os.close(calls)
            os.close(replies)

    def call(self, call: str, **fields: Any) -> dict[str, Any]:
        """Makes a call and gives the reply. A field whose name is a word of Python ends with `_`. A crash has an empty reply."""
        self._seq += 1
        named = {name.removesuffix("_"): value for name, value in fields.items()}
        frame = self._codec.framed(self._codec.encode({"call": call, "seq": self._seq, **named}))
        self.write(frame)
        if call == "crash":
            return {}
        reply = self._wire.line() if self._codec.name == "json" else self._wire.packed()
        if reply is None:
            self.close()
            raise BadFrame("the host ended in place of a reply")
        value: dict[str, Any] = self._codec.decode(reply)
        return value

    def boot(self, node: int = 1, **fields: Any) -> dict[str, Any]:
        """Boots a node: number 1 of 3 in its first life, unless the fields have other values."""
        usual = {"id": 1, "nodes": 3, "life": 1, "now": 0, "seed": "0000000000000007", "options": {}, "disk": {}}
        return self.call("boot", node=node, **{**usual, **fields})

    def write(self, frame: bytes) -> None:
        """Writes bytes as they are."""
        try:
            self._wire.write(frame)
        except BrokenPipeError:
            self.close()
            raise

    def close(self) -> None:
        """Ends the host's input, and raises the error with which the host ends."""
        if self._calls >= 0:
            os.close(self._calls)
            self._calls = -1
            self._thread.join()
            os.close(self._replies)
        if self._error is not None:
            raise self._error

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
