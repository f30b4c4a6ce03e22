#!/usr/bin/env python3
"""Writes the vectors again: random.json, msgpack.json and register.json.

They are made here, by an implementation of its own, so that no client library is held to its own mistakes. The output is
the same every time; `git diff` shows whether the committed files are it.
"""

import base64
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
MASK = (1 << 64) - 1


# --- random numbers -----------------------------------------------------------------------------------------------


class Random:
    """xoshiro256++, its state from SplitMix64 that begins at the seed."""

    def __init__(self, seed):
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            word = seed
            word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
            word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
            self.state.append(word ^ word >> 31)

    def draw(self):
        def rotate(word, places):
            return (word << places | word >> 64 - places) & MASK

        a, b, c, d = self.state
        result = (rotate((a + d) & MASK, 23) + a) & MASK
        c ^= a
        d ^= b
        new_b, new_a = b ^ c, a ^ d
        self.state = [new_a, new_b, c ^ (b << 17 & MASK), rotate(d, 45)]
        return result

    def below(self, bound):
        product = self.draw() * bound
        while product & MASK < (2**64 - bound) % bound:
            product = self.draw() * bound
        return product >> 64


def random_vectors():
    seeds = [0, 1, 7, 42, 0xDEADBEEF, MASK]
    bounds = [1, 2, 3, 10, 1000, 2**32, 2**63 + 1, MASK]
    vectors = []
    for seed in seeds:
        source = Random(seed)
        vector = {"seed": f"{seed:016x}", "draws": [f"{source.draw():016x}" for _ in range(8)], "below": []}
        for bound in bounds:
            source = Random(seed)
            numbers = [str(source.below(bound)) for _ in range(8)]
            vector["below"].append({"bound": str(bound), "numbers": numbers})
        vectors.append(vector)
    # The value that the Rust generator's own test has.
    source = Random(7)
    assert [source.below(1000) for _ in range(6)] == [55, 172, 717, 427, 963, 465]
    return vectors


# --- MessagePack --------------------------------------------------------------------------------------------------


def head(sizes, length):
    for limit, prefix, form in sizes:
        if length < limit:
            return bytes([prefix | length]) if form is None else bytes([prefix]) + struct.pack(form, length)
    raise ValueError(length)


def pack(value):
    """The shortest encoding of a value in the notation of msgpack.json."""
    (kind, content), = value.items()
    if kind == "null":
        return b"\xc0"
    if kind == "bool":
        return b"\xc3" if content else b"\xc2"
    if kind == "float":
        return b"\xcb" + struct.pack(">d", float(content))
    if kind == "int":
        return pack_int(int(content))
    if kind == "text":
        data = content.encode()
        sizes = [(32, 0xA0, None), (2**8, 0xD9, ">B"), (2**16, 0xDA, ">H"), (2**32, 0xDB, ">I")]
        return head(sizes, len(data)) + data
    if kind == "bytes":
        data = bytes.fromhex(content)
        return head([(2**8, 0xC4, ">B"), (2**16, 0xC5, ">H"), (2**32, 0xC6, ">I")], len(data)) + data
    if kind == "list":
        sizes = [(16, 0x90, None), (2**16, 0xDC, ">H"), (2**32, 0xDD, ">I")]
        return head(sizes, len(content)) + b"".join(map(pack, content))
    sizes = [(16, 0x80, None), (2**16, 0xDE, ">H"), (2**32, 0xDF, ">I")]
    pairs = b"".join(pack({"text": key}) + pack(item) for key, item in content)
    return head(sizes, len(content)) + pairs


def pack_int(number):
    if number >= 0:
        if number < 128:
            return bytes([number])
        for limit, prefix, form in [(2**8, 0xCC, ">B"), (2**16, 0xCD, ">H"), (2**32, 0xCE, ">I"), (2**64, 0xCF, ">Q")]:
            if number < limit:
                return bytes([prefix]) + struct.pack(form, number)
    if number >= -32:
        return struct.pack(">b", number)
    for limit, prefix, form in [(2**7, 0xD0, ">b"), (2**15, 0xD1, ">h"), (2**31, 0xD2, ">i"), (2**63, 0xD3, ">q")]:
        if number >= -limit:
            return bytes([prefix]) + struct.pack(form, number)
    raise ValueError(number)


def as_json(value):
    (kind, content), = value.items()
    if kind == "null":
        return None
    if kind == "int":
        return int(content)
    if kind == "float":
        return float(content)
    if kind == "bytes":
        return base64.b64encode(bytes.fromhex(content)).decode()
    if kind == "list":
        return [as_json(item) for item in content]
    if kind == "map":
        return {key: as_json(item) for key, item in content}
    return content


def msgpack_vectors():
    integers = [0, 1, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1]
    integers += [-1, -32, -33, -128, -129, -32768, -32769, -(2**31), -(2**31) - 1, -(2**63)]
    values = [{"null": None}, {"bool": False}, {"bool": True}]
    values += [{"int": str(number)} for number in integers]
    values += [{"float": text} for text in ["0.0", "1.0", "-1.5", "0.1", "1e+300", "5e-324"]]
    values += [{"text": text} for text in ["", "a", "n1", "Größe", "日本", '"\\\n\u0001', "x" * 31, "x" * 32, "x" * 256]]
    values += [{"bytes": data} for data in ["", "00", "ff00", "ab" * 255, "ab" * 256]]
    one, text = {"int": "1"}, {"text": "b"}
    values += [{"list": []}, {"list": [one, text, {"null": None}]}, {"list": [one] * 15}, {"list": [one] * 16}]
    values += [{"map": []}, {"map": [["a", one], ["b", {"list": [{"map": [["c", text]]}]}]]}]
    values += [{"map": [[f"k{number:02}", {"int": str(number)}] for number in range(count)]} for count in (15, 16)]
    good = [
        {"value": value, "hex": pack(value).hex(), "json": json.dumps(as_json(value), ensure_ascii=False, separators=(",", ":"))}
        for value in values
    ]
    also = [
        {"value": {"int": "1"}, "hex": encoded}
        for encoded in ["cc01", "cd0001", "ce00000001", "cf0000000000000001", "d001", "d10001", "d200000001"]
    ]
    also += [
        {"value": {"int": "-1"}, "hex": "d3ffffffffffffffff"},
        {"value": {"float": "1.5"}, "hex": "ca3fc00000"},
        {"value": {"text": "a"}, "hex": "db0000000161"},
        {"value": {"list": [{"int": "1"}]}, "hex": "dd0000000101"},
        {"value": {"map": [["a", {"int": "1"}]]}, "hex": "df00000001a16101"},
    ]
    bad = [
        ("", "nothing"),
        ("c1", "a byte that MessagePack does not use"),
        ("d40100", "an extension"),
        ("c70001", "an extension"),
        ("a3616a", "a text that ends early"),
        ("c403ff", "bytes that end early"),
        ("9201", "a list that ends early"),
        ("ddffffffff", "a list that is longer than the frame"),
        ("dfffffffff", "a map that is longer than the frame"),
        ("81a161", "a map that ends early"),
        ("810101", "a key that is no text"),
        ("a1ff", "a text that is not UTF-8"),
        ("cd00", "a number that ends early"),
        ("0101", "a second value"),
        ("91" * 129 + "01", "lists nested 129 deep"),
    ]
    return {"good": good, "also": also, "bad": [{"hex": encoded, "why": why} for encoded, why in bad]}


# --- the register -------------------------------------------------------------------------------------------------


class Register:
    """The register of the book: n1 is the primary, the others are its backups."""

    def __init__(self, own, nodes, looks_at_versions):
        self.own, self.nodes, self.looks_at_versions = own, nodes, looks_at_versions
        self.version = self.value = 0
        self.acks, self.clients = [], []

    def state(self):
        return {"version": self.version, "value": self.value}

    def request(self, id, value):
        if self.own != 1:
            return {}
        self.version, self.value = self.version + 1, value
        self.acks.append([self.version, 0])
        self.clients.append((self.version, id))
        message = {"version": self.version, "value": value}
        text = f"version {self.version} is {value}"
        backups = range(2, self.nodes + 1)
        sends = [{"to": to, "kind": "Replicate", "message": message, "text": text} for to in backups]
        return {"sends": sends} if sends else {}

    def receive(self, sender, kind, message):
        if kind == "Replicate":
            if not self.looks_at_versions or message["version"] > self.version:
                self.version, self.value = message["version"], message["value"]
            version = message["version"]
            ack = {"to": sender, "kind": "Ack", "message": {"version": version}, "text": f"version {version}"}
            return {"sends": [ack]}
        for line in self.acks:
            line[1] += line[0] == message["version"]
        complete = [message["version"], self.nodes - 1] in self.acks
        self.acks = [line for line in self.acks if line[1] < self.nodes - 1]
        done = [id for version, id in self.clients if complete and version == message["version"]]
        return {"answers": [{"id": id, "answer": message["version"]} for id in done]} if done else {}


class Transcript:
    def __init__(self):
        self.nodes, self.lines, self.seq, self.sent = {}, [], 0, {}

    def add(self, call, reply):
        self.seq += 1
        call = {"call": call.pop("call"), "seq": self.seq, **call}
        self.lines.append({"call": call, "reply": None if reply is None else {"seq": self.seq, **reply}})

    def boot(self, number, id, nodes, versions):
        node = self.nodes[number] = Register(id, nodes, versions)
        options = {"versions": "true"} if versions else {}
        call = {"call": "boot", "node": number, "id": id, "nodes": nodes, "life": 1, "now": 0}
        call |= {"seed": f"{number:016x}", "options": options, "disk": {}}
        self.add(call, {"state": node.state()})

    def activate(self, number, call, act):
        node = self.nodes[number]
        before = node.state()
        reply = act(node)
        changed = {name: value for name, value in node.state().items() if before[name] != value}
        self.add(call, reply | ({"state": changed} if changed else {}))
        return reply

    def request(self, number, id, value):
        call = {"call": "request", "node": number, "now": 0, "id": id, "request": value}
        return self.activate(number, call, lambda node: node.request(id, value))

    def receive(self, number, sender, kind, message):
        call = {"call": "receive", "node": number, "now": 0, "from": sender, "kind": kind, "message": message}
        return self.activate(number, call, lambda node: node.receive(sender, kind, message))

    def observe(self, number):
        self.add({"call": "observe", "node": number}, {"state": self.nodes[number].state()})

    def crash(self, number):
        del self.nodes[number]
        self.add({"call": "crash", "node": number}, None)


def register_vectors():
    """Two clusters in one host, their calls mixed: one with the bug, one without."""
    script = Transcript()
    for base, versions in ((10, False), (20, True)):
        for id in (1, 2, 3):
            script.boot(base + id, id, 3, versions)
    for step in range(2):
        for base in (10, 20):
            script.request(base + 1, step + 1, 10 * (step + 1))
    for base in (10, 20):
        script.request(base + 2, 3, 99)
        for version in (2, 1):
            for backup in (2, 3):
                script.receive(base + backup, 1, "Replicate", {"version": version, "value": 10 * version})
        for version in (1, 2):
            for backup in (3, 2):
                script.receive(base + 1, backup, "Ack", {"version": version})
        script.receive(base + 1, 2, "Ack", {"version": 2})
        for id in (1, 2, 3):
            script.observe(base + id)
        for id in (1, 2, 3):
            script.crash(base + id)
    script.boot(31, 1, 1, False)
    script.request(31, 1, 2**53 - 1)
    script.observe(31)
    script.crash(31)
    return {
        "handshake": {"calls": ["request"], "kinds": ["Replicate", "Ack"], "name": "register", "protocol": 1},
        "transcript": script.lines,
    }


def lines(items):
    return "[\n" + ",\n".join("  " + json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in items) + "\n]"


def main():
    (HERE / "random.json").write_text(lines(random_vectors()) + "\n", encoding="utf-8")
    parts = [f'"{name}": {lines(items)}' for name, items in msgpack_vectors().items()]
    (HERE / "msgpack.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    register = register_vectors()
    handshake = json.dumps(register["handshake"], separators=(",", ":"))
    transcript = lines(register["transcript"])
    (HERE / "register.json").write_text(
        f'{{\n"handshake": {handshake},\n"transcript": {transcript}\n}}\n', encoding="utf-8"
    )


if __name__ == "__main__":
    main()
