"""A host and its nodes, as Shakedown calls them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from puppet import HOST
from shakedown import Host, HostError, Node
from shakedown.msgpack import pack
from shakedown.testing import Client

ENCODINGS = ["json", "msgpack"]


def receive(client: Client, kind: str, node: int = 1) -> dict[str, Any]:
    return client.call("receive", node=node, now=4, from_=2, kind=kind, message=None)


def test_the_host_names_the_calls_that_its_nodes_want() -> None:
    with Client(HOST) as client:
        assert client.welcome == {
            "protocol": 1,
            "encoding": "msgpack",
            "name": "puppet",
            "version": "puppet 1",
            "calls": ["tick"],
            "kinds": ["One"],
        }


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_effect_arrives(encoding: str) -> None:
    with Client(HOST, encoding) as client:
        client.boot()
        reply = receive(client, "everything")
        two = "AQI=" if encoding == "json" else b"\x01\x02"
        assert reply == {
            "seq": 2,
            "sends": [
                {"to": 2, "kind": "One", "message": {"a": 1}},
                {"to": 3, "kind": "Two", "message": two, "text": "two bytes"},
                {"to": 2, "kind": "Three", "message": None},
                {"to": 3, "kind": "Three", "message": None},
            ],
            "answers": [{"id": 7, "answer": "done"}],
            "facts": [{"name": "commit", "fields": {"index": 7, "ok": True, "op": "put"}}],
            "timers": [{"set": "election", "ticks": 5}, {"cancel": "election"}],
            "disk": [{"put": {"term": 3}, "delete": ["old"]}, {"flush": True}],
            "state": {"from": 2},
        }
        # Nothing is sent twice.
        assert client.call("tick", node=1, now=5) == {"seq": 3, "state": {"now": 5}}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_only_fields_that_changed_are_sent(encoding: str) -> None:
    with Client(HOST, encoding) as client:
        boot = client.boot(disk={"term": 3, "a": 1}, life=2)
        assert boot["state"] == {"life": 2, "keys": ["a", "term"], "term": 3}
        assert client.call("tick", node=1, now=1)["state"] == {"now": 1}
        assert "state" not in client.call("tick", node=1, now=1)
        assert receive(client, "truth")["state"]["now"] is True
        assert receive(client, "grow")["state"] == {"log": [0]}
        assert receive(client, "grow")["state"] == {"log": [0, 1]}
        assert receive(client, "forget")["state"] == {"life": None}
        whole = {"keys": ["a", "term"], "term": 3, "now": True, "log": [0, 1]}
        assert client.call("observe", node=1)["state"] == whole
        assert receive(client, "aliased") == {
            "seq": 9,
            "sends": [{"to": 2, "kind": "One", "message": [1]}],
        }


def test_randomness_comes_from_the_seed() -> None:
    with Client(HOST) as client:
        client.boot()
        assert receive(client, "random")["state"] == {"random": 55}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("error", "KeyError: 'broken'"),
        ("address", "RuntimeError: <object object at an address> is broken"),
        ("exit", "SystemExit: enough"),
        ("failure", "gave up"),
        ("unknown", "has no attribute 'on_unknown'"),
        ("nobody", "node 9 of 3"),
        ("name", "not one word"),
        ("value", "answer 1: a set is no value of the protocol"),
        ("flood", "more than 10000 messages"),
        ("large", "the limit is 16777216"),
        ("twice", "twice"),
        ("fact", "field entries of fact commit"),
        ("endless", "RecursionError"),
    ],
)
def test_exceptions_are_replies_with_a_message_and_a_place(kind: str, message: str, encoding: str) -> None:
    with Client(HOST, encoding) as client:
        client.boot(1)
        client.boot(2)
        for _ in range(2):
            reply = receive(client, kind)
            assert message in reply["panic"]["message"]
            places = {"failure": "library.py:7", "large": "reply"}
            assert reply["panic"]["place"].startswith(places.get(kind, "puppet.py:"))
            assert set(reply) == {"seq", "panic"}
        # The host and its other nodes go on.
        assert "panic" not in client.call("tick", node=2, now=1)
        client.call("crash", node=1)


def test_a_boot_that_fails_is_reported() -> None:
    with Client(HOST) as client:
        assert client.boot(options={"fails": "yes"})["panic"]["message"] == "RuntimeError: option fails is set"
        client.call("crash", node=1)
        assert "state" in client.boot()


BOOT = {"node": 1, "id": 1, "nodes": 3, "life": 1, "now": 0, "seed": "0000000000000007", "options": {}, "disk": {}}
RECEIVE = {"call": "receive", "seq": 2, "node": 1, "now": 0, "from": 1, "kind": "everything", "message": None}


def framed(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def boot(**changes: Any) -> bytes:
    return framed(pack({"call": "boot", "seq": 1, **BOOT, **changes}))


def call(without: str = "", **changes: Any) -> bytes:
    named = {name.removesuffix("_"): value for name, value in changes.items()}
    fields = {name: value for name, value in {**RECEIVE, **named}.items() if name != without}
    return boot() + framed(pack(fields))


MALFORMED = {
    "no map": framed(b"\x01"),
    "garbage": framed(b"\xc1\x01\x02"),
    "a frame that is long": b"\xff\xff\xff\xff",
    "the end of a frame": b"\x00\x00\x00\x09\x01",
    "the end of a length": b"\x00\x00",
    "two values": framed(b"\x80\x80"),
    "no name": call(without="call"),
    "no seq": call(without="seq"),
    "no node": call(without="node"),
    "no now": call(without="now"),
    "another node": call(node=2),
    "a truth value as a node": call(node=True),
    "a list as a node": call(node=[1]),
    "a list as a name": call(call=[1]),
    "no such call": call(call="dance"),
    "not wanted": call(call="flushed"),
    "no message": call(without="message"),
    "a kind that is no text": call(kind=1),
    "a sender that is none": call(from_=4),
    "boot twice": boot() + boot(),
    "bad seed": boot(seed="7"),
    "bad id": boot(id=4),
    "too many nodes": boot(nodes=1 << 17),
    "bad options": boot(options={"a": 1}),
    "bad disk": boot(disk=[1]),
    "number as text": boot(node="1"),
}


def served(data: bytes, hello: bytes = b'{"call":"hello","protocol":1,"encoding":"msgpack"}\n') -> bytes:
    """What a host replies to an input."""
    source, writer = os.pipe()
    reader, target = os.pipe()
    os.write(writer, hello + data)
    os.close(writer)
    try:
        HOST.serve_on(source, target)
    finally:
        os.close(source)
        os.close(target)
        with os.fdopen(reader, "rb") as replies:
            written = replies.read()
    return written


@pytest.mark.parametrize("what", MALFORMED)
def test_malformed_calls_end_the_host_with_an_error(what: str) -> None:
    with pytest.raises(HostError, match="call [12]: |call 0: "):
        served(MALFORMED[what])


def test_the_calls_that_the_malformed_ones_are_made_from_are_served() -> None:
    assert served(call()).count(b"\xa3seq") == 2


@pytest.mark.parametrize("line", [b"GET / HTTP/1.1\n", b'{"call":"hello","protocol":2}\n', b'{"call":"boot"}\n', b"[]\n"])
def test_bad_handshakes_are_refused(line: bytes) -> None:
    source, writer = os.pipe()
    reader, target = os.pipe()
    os.write(writer, line)
    os.close(writer)
    with pytest.raises(HostError):
        HOST.serve_on(source, target)
    assert list(json.loads(os.read(reader, 1000))) == ["error"]
    for descriptor in (source, reader, target):
        os.close(descriptor)


def test_an_empty_input_is_no_error_and_half_a_handshake_is() -> None:
    assert served(b"", b"") == b""
    with pytest.raises(HostError):
        served(b"", b"{")


def test_frames_arrive_in_pieces_and_together() -> None:
    source, writer = os.pipe()
    reader, target = os.pipe()
    data = b'{"call":"hello","protocol":1,"encoding":"msgpack"}\n' + call() + call()[len(boot()) :]
    child = os.fork()
    if child == 0:
        for at in range(len(data)):
            os.write(writer, data[at : at + 1])
        os._exit(0)
    os.close(writer)
    HOST.serve_on(source, target)
    os.close(target)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as replies:
        assert replies.read().count(b"\xa3seq") == 3


def test_only_classes_of_nodes_are_served() -> None:
    with pytest.raises(TypeError):
        Host(object, name="a", version="1")  # type: ignore[arg-type]


class Incomplete(Node):
    pass


def test_a_node_without_its_methods_is_a_finding() -> None:
    with Client(Host(Incomplete, name="a", version="1")) as client:
        assert "Incomplete has no method state" in client.boot()["panic"]["message"]


def run_puppet(*kinds: str) -> subprocess.CompletedProcess[bytes]:
    frames: list[dict[str, Any]] = [{"call": "hello", "protocol": 1, "encoding": "json"}]
    frames += [{"call": "boot", "seq": 1, **BOOT}]
    frames += [{**RECEIVE, "seq": 2 + at, "kind": kind} for at, kind in enumerate(kinds)]
    source = Path(__file__).parent.parent / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    environment.pop("PYTHONHASHSEED", None)
    calls = b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)
    program = [sys.executable, str(Path(__file__).parent / "puppet.py")]
    return subprocess.run(program, input=calls, capture_output=True, env=environment, check=False)


def test_stray_prints_go_to_standard_error() -> None:
    ended = run_puppet("print")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count(b"\n") == 3
    assert ended.stdout.endswith(b'{"seq":2}\n')
    assert ended.stderr == b"this is not for the protocol\nnor is this\n"


def test_sets_of_texts_have_the_same_order_in_every_process() -> None:
    orders = {run_puppet("order").stdout for _ in range(4)}
    assert len(orders) == 1
    assert b'"order":["' in orders.pop()
