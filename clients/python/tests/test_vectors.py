"""The vectors that every library of the node protocol is held to."""

import json
from pathlib import Path
from typing import Any

import pytest
from main import Server
from shakedown import BadValue, Host, Random, as_bytes
from shakedown.jsontext import parse, write
from shakedown.msgpack import pack, unpack
from shakedown.testing import Client

VECTORS = Path(__file__).parent / "../../vectors"


def vectors(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


PACKED = vectors("msgpack.json")


def value_of(typed: dict[str, Any]) -> Any:
    """A value in the notation of msgpack.json."""
    ((kind, content),) = typed.items()
    match kind:
        case "int":
            return int(content)
        case "float":
            return float(content)
        case "bytes":
            return bytes.fromhex(content)
        case "list":
            return [value_of(item) for item in content]
        case "map":
            return {key: value_of(item) for key, item in content}
        case "null" | "bool" | "text":
            return content
    raise AssertionError(f"{kind} is no type of the vectors")


def same(a: object, b: object) -> bool:
    """Equal, and of equal types: to Python, 1 is equal to 1.0 and to True."""
    return repr(a) == repr(b)


@pytest.mark.parametrize("vector", vectors("random.json"), ids=lambda vector: vector["seed"])
def test_random_draws_what_the_vectors_have(vector: Any) -> None:
    seed = int(vector["seed"], 16)
    random = Random(seed)
    assert [f"{random.bits():016x}" for _ in vector["draws"]] == vector["draws"]
    for below in vector["below"]:
        random = Random(seed)
        assert [str(random.below(int(below["bound"]))) for _ in below["numbers"]] == below["numbers"]


@pytest.mark.parametrize("vector", PACKED["good"], ids=lambda vector: vector["hex"][:40])
def test_good_values_are_read_and_written_in_both_encodings(vector: Any) -> None:
    value = value_of(vector["value"])
    assert same(unpack(bytes.fromhex(vector["hex"])), value)
    assert pack(value).hex() == vector["hex"]
    read = parse(vector["json"].encode())
    assert same(as_bytes(read), value) if type(value) is bytes else same(read, json.loads(vector["json"]))
    assert same(json.loads(write(value)), json.loads(vector["json"]))


@pytest.mark.parametrize("vector", PACKED["also"], ids=lambda vector: vector["hex"][:40])
def test_longer_forms_are_read(vector: Any) -> None:
    assert same(unpack(bytes.fromhex(vector["hex"])), value_of(vector["value"]))


@pytest.mark.parametrize("vector", PACKED["bad"], ids=lambda vector: vector["why"])
def test_bad_values_are_errors(vector: Any) -> None:
    with pytest.raises(BadValue):
        unpack(bytes.fromhex(vector["hex"]))


@pytest.mark.parametrize("encoding", ["json", "msgpack"])
def test_the_register_replies_as_in_the_vectors(encoding: str) -> None:
    register = vectors("register.json")
    host = Host(Server, name="register", version="register 1.0", kinds=["Replicate", "Ack"])
    with Client(host, encoding) as client:
        assert client.welcome | register["handshake"] == client.welcome
        assert client.welcome["encoding"] == encoding
        for line in register["transcript"]:
            fields = {name: value for name, value in line["call"].items() if name not in ("call", "seq")}
            reply = client.call(line["call"]["call"], **fields)
            assert reply == (line["reply"] or {}), line["call"]
