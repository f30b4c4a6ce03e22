#!/usr/bin/env python3
"""Maelstrom nodes for echo, unique-ids, broadcast and g-set; with the argument `flaw`, each has a flaw."""
import json
import os
import select
import sys
import time

FLAW = "flaw" in sys.argv[1:]
# Asks a service before it answers `init`.
ASKS_FIRST = "asks-first" in sys.argv[1:]
RETRY_SECONDS = 0.1


class Node:
    def __init__(self):
        self.name, self.peers, self.count = None, [], 0
        self.first_echo, self.init = None, None
        self.values, self.unacknowledged = [], {}
        self.is_set = False

    def send(self, dest, body):
        line = json.dumps({"src": self.name, "dest": dest, "body": body})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def reply(self, message, body):
        body["in_reply_to"] = message["body"]["msg_id"]
        self.send(message["src"], body)

    def spread(self, values, origin):
        for peer in self.peers:
            if peer == origin:
                continue
            if not FLAW:
                self.unacknowledged.setdefault(peer, set()).update(values)
            # The flawed set sends all that it has, to be taken over.
            self.send(peer, {"type": "spread", "values": self.values if FLAW and self.is_set else values})

    def learn(self, values, origin):
        fresh = [value for value in values if value not in self.values]
        if FLAW and self.is_set and origin:
            if len(values) > len(self.values):
                self.values = list(values)
            return
        self.values += fresh
        if fresh and not (self.is_set and origin):
            self.spread(fresh, origin)

    def repeat(self):
        for peer, values in self.unacknowledged.items():
            if values:
                self.send(peer, {"type": "spread", "values": sorted(values)})

    def handle(self, message):
        body, kind = message["body"], message["body"]["type"]
        if kind == "init":
            self.name = body["node_id"]
            self.peers = [peer for peer in body["node_ids"] if peer != self.name]
            if ASKS_FIRST:
                self.init = message
                self.send("lin-kv", {"type": "write", "msg_id": 1, "key": self.name, "value": 0})
            else:
                self.reply(message, {"type": "init_ok"})
        elif kind == "write_ok":
            self.reply(self.init, {"type": "init_ok"})
        elif kind == "topology":
            self.peers = body["topology"][self.name]
            self.reply(message, {"type": "topology_ok"})
        elif kind == "echo":
            self.first_echo = self.first_echo or body["echo"]
            self.reply(message, {"type": "echo_ok", "echo": self.first_echo if FLAW else body["echo"]})
        elif kind == "generate":
            self.count += 1
            self.reply(message, {"type": "generate_ok", "id": self.count if FLAW else f"{self.name}-{self.count}"})
        elif kind == "broadcast":
            self.learn([body["message"]], None)
            self.reply(message, {"type": "broadcast_ok"})
        elif kind == "add":
            self.learn([body["element"]], None)
            self.reply(message, {"type": "add_ok"})
        elif kind == "read":
            self.reply(message, {"type": "read_ok", "messages": self.values, "value": self.values})
        elif kind == "spread":
            self.learn(body["values"], message["src"])
            if not FLAW:
                self.send(message["src"], {"type": "spread_ok", "values": body["values"]})
        elif kind == "spread_ok":
            self.unacknowledged.get(message["src"], set()).difference_update(body["values"])


def main():
    node, unread, last = Node(), b"", time.monotonic()
    if "g-set" in sys.argv[1:]:
        node.is_set = True
    while True:
        waits = any(node.unacknowledged.values())
        left = max(0, last + RETRY_SECONDS - time.monotonic()) if waits else None
        if select.select([0], [], [], left)[0]:
            data = os.read(0, 65536)
            if not data:
                return
            *lines, unread = (unread + data).split(b"\n")
            for line in lines:
                node.handle(json.loads(line))
        if waits and time.monotonic() >= last + RETRY_SECONDS:
            last = time.monotonic()
            node.repeat()


main()
