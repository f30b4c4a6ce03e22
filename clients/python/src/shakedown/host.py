"""A host: it makes nodes and serves them to Shakedown."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from .call import BadCall, Boot, count_of, node_of, text_of, value_of
from .codec import Codec
from .env import Env
from .failure import Failure, failure_of
from .jsontext import Json
from .limits import FRAME_MAX
from .msgpack import MessagePack
from .node import OPTIONAL_CALLS, Node, calls_of
from .plain import BadValue
from .state import ShownState
from .wire import BadFrame, Wire

PROTOCOL: Final = 1


class HostError(Exception):
    """The host cannot go on: its caller does not speak the protocol."""


class Host:
    """Serves nodes of one class."""

    def __init__(self, kind: type[Node], *, name: str, version: str, kinds: Sequence[str] = ()) -> None:
        if not (isinstance(kind, type) and issubclass(kind, Node)):
            raise TypeError(f"{kind!r} is no class derived from shakedown.Node")
        self._kind = kind
        self._name = name
        self._version = version
        self._kinds = list(kinds)

    def serve_on(self, source: int, target: int) -> None:
        """Serves on two file descriptors until the input ends where a call would begin."""
        wire = Wire(source, target)
        codec = self._shake_hands(wire)
        if codec is None:
            return
        read = wire.line if codec.name == "json" else wire.packed
        server = Server(self._kind, codec)
        calls = 0
        try:
            while (frame := read()) is not None:
                calls += 1
                reply = server.serve(codec.decode(frame))
                if reply is not None:
                    wire.write(reply)
        except (BadFrame, BadValue, BadCall) as error:
            raise HostError(f"call {calls}: {error}") from None

    def _shake_hands(self, wire: Wire) -> Codec | None:
        """Gives no encoding if the input is empty."""
        try:
            line = wire.line()
        except BadFrame as error:
            raise HostError(f"handshake: {error}") from None
        if line is None:
            return None
        refusal = ""
        try:
            asked = Json().decode(line)
        except BadValue:
            asked = None
        if type(asked) is not dict or asked.get("call") != "hello":
            refusal = "the first line is no handshake: this program is a host of Shakedown's node protocol"
        elif asked.get("protocol") != PROTOCOL:
            refusal = f"this host speaks version {PROTOCOL} of the protocol, not {asked.get('protocol')!r}"
        if refusal:
            wire.write(json.dumps({"error": refusal}).encode() + b"\n")
            raise HostError(refusal)
        codec: Codec = MessagePack() if asked.get("encoding") == "msgpack" else Json()
        welcome: dict[str, Any] = {"protocol": PROTOCOL, "encoding": codec.name}
        welcome |= {"name": self._name, "version": self._version, "calls": calls_of(self._kind)}
        if self._kinds:
            welcome["kinds"] = self._kinds
        wire.write(json.dumps(welcome).encode() + b"\n")
        return codec


class _Running:
    """A node that runs."""

    __slots__ = ("env", "failure", "node", "receive", "show", "state")

    def __init__(self, node: Node, env: Env, codec: Codec) -> None:
        self.node = node
        self.env = env
        self.state = ShownState(codec)
        self.failure: Failure | None = None
        # Looked up once, not at every call.
        self.receive = node.receive
        self.show = node.state


class Server:
    """The nodes of a host, and what becomes of calls."""

    __slots__ = ("_codec", "_handlers", "_kind", "_nodes")

    def __init__(self, kind: type[Node], codec: Codec) -> None:
        self._kind = kind
        self._codec = codec
        self._nodes: dict[int, _Running] = {}
        heard = calls_of(kind)
        self._handlers: dict[str, Callable[[_Running, dict[str, Any]], None]] = {
            call: handler for call, handler in _HANDLERS.items() if call in heard or call == "receive"
        }

    def serve(self, call: Any) -> bytes | None:
        """Does one call. It gives the frame of the reply, if there is one."""
        if type(call) is not dict:
            raise BadCall("it is no map")
        name = call.get("call")
        if name == "crash":
            # A node that failed at boot is not there.
            self._nodes.pop(count_of(call, "node"), None)
            return None
        seq = count_of(call, "seq")
        number = call.get("node")
        if name == "boot":
            return self._boot(seq, call)
        running = self._nodes.get(number) if type(number) is int else None
        if running is None:
            raise BadCall(f"{name}: there is no node {number!r}")
        if name == "observe":
            return self._observe(seq, running)
        handler = self._handlers.get(name) if type(name) is str else None
        if handler is None:
            known = type(name) is str and name in OPTIONAL_CALLS
            raise BadCall(f"{name}: the nodes of this host do not want to hear it" if known else f"there is no call {name!r}")
        env = running.env
        env.now = count_of(call, "now")
        if running.failure is not None:
            return self._failed(seq, running.failure)
        try:
            handler(running, call)
            changed = running.state.changes(running.show())
            fields = {"seq": self._codec.encode(seq), **env._take()}
            if changed:
                fields["state"] = self._codec.map_of(changed)
            return self._reply(fields)
        except (BadCall, KeyboardInterrupt):
            raise
        except BaseException as error:
            running.failure = failure_of(error)
            return self._failed(seq, running.failure)

    def _boot(self, seq: int, call: dict[str, Any]) -> bytes:
        number = count_of(call, "node")
        if number in self._nodes:
            raise BadCall(f"boot: node {number} is running")
        boot = Boot(call)
        env = Env(
            self._codec,
            id=boot.id,
            nodes=boot.nodes,
            life=boot.life,
            now=boot.now,
            seed=boot.seed,
            options=boot.options,
        )
        try:
            running = _Running(self._kind(), env, self._codec)
            running.node.boot(env, boot.disk)
            state = self._codec.map_of(running.state.whole(running.show()))
            reply = self._reply({"seq": self._codec.encode(seq), **env._take(), "state": state})
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return self._failed(seq, failure_of(error))
        self._nodes[number] = running
        return reply

    def _observe(self, seq: int, running: _Running) -> bytes:
        if running.failure is not None:
            return self._failed(seq, running.failure)
        try:
            state = self._codec.map_of(running.state.whole(running.show()))
            return self._reply({"seq": self._codec.encode(seq), "state": state})
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            running.failure = failure_of(error)
            return self._failed(seq, running.failure)

    def _reply(self, fields: dict[str, bytes]) -> bytes:
        reply = self._codec.map_of(fields)
        if len(reply) > FRAME_MAX:
            raise Failure(f"the reply has {len(reply)} bytes; the limit is {FRAME_MAX}", "reply")
        return self._codec.framed(reply)

    def _failed(self, seq: int, failure: Failure) -> bytes:
        message, place = (text.encode(errors="replace").decode() for text in (failure.message, failure.place))
        panic = {"message": message, "place": place}
        return self._codec.framed(self._codec.encode({"seq": seq, "panic": panic}))


def _receive(running: _Running, call: dict[str, Any]) -> None:
    sender = node_of(call, "from", running.env.nodes)
    running.receive(running.env, sender, text_of(call, "kind"), value_of(call, "message"))


def _tick(running: _Running, call: dict[str, Any]) -> None:
    running.node.tick(running.env)


def _fire(running: _Running, call: dict[str, Any]) -> None:
    running.node.fire(running.env, text_of(call, "timer"))


def _request(running: _Running, call: dict[str, Any]) -> None:
    running.node.request(running.env, count_of(call, "id"), value_of(call, "request"))


def _flushed(running: _Running, call: dict[str, Any]) -> None:
    running.node.flushed(running.env)


def _reconnected(running: _Running, call: dict[str, Any]) -> None:
    running.node.reconnected(running.env, node_of(call, "peer", running.env.nodes))


def _disconnected(running: _Running, call: dict[str, Any]) -> None:
    running.node.disconnected(running.env, node_of(call, "peer", running.env.nodes))


_HANDLERS: Final[dict[str, Callable[[_Running, dict[str, Any]], None]]] = {
    "receive": _receive,
    "tick": _tick,
    "fire": _fire,
    "request": _request,
    "flushed": _flushed,
    "reconnected": _reconnected,
    "disconnected": _disconnected,
}
