"""A small replicated store as a host: node 1 takes writes and sends them on. Options make it wrong in ways that oracles by name find."""

import json
import sys

nodes = {}


class Node:
    def __init__(self, call):
        self.id, self.nodes, self.options = call["id"], call["nodes"], call["options"]
        self.log, self.lists = [], {}

    def on(self, option):
        return self.options.get(option) == "true"

    def value(self, key):
        # A backup is always one entry behind.
        known = self.log if self.id == 1 else self.log[:-1]
        return next((entry["value"] for entry in reversed(known) if entry["key"] == key), 0)

    def transaction(self, ops):
        done = []
        for kind, key, value in ops:
            held = self.lists.setdefault(key, [])
            if kind == "append":
                held.append(value)
            done.append([kind, key, value if kind == "append" else list(held)])
        return done

    def request(self, request, reply, id):
        is_served = self.id == 1 or self.on("anywhere")
        if isinstance(request, list) and is_served:
            reply["answers"] = [{"id": id, "answer": self.transaction(request)}]
        elif "read" in request and is_served:
            reply["answers"] = [{"id": id, "answer": {"value": self.value(request["read"])}}]
        elif "write" in request and self.id == 1:
            self.write(request["write"], reply, id)
        elif "write" in request:
            forwarded = {"id": id, "write": request["write"]}
            reply["sends"] = [{"to": 1, "kind": "Forward", "message": forwarded}]

    def write(self, write, reply, id):
        entry = {"term": 1, "key": write[0], "value": write[1]}
        self.log.append(entry)
        others = range(2, self.nodes + 1)
        reply["sends"] = [{"to": to, "kind": "Append", "message": entry} for to in others]
        reply["answers"] = [{"id": id, "answer": "done"}]

    def state(self):
        leads = self.id == 1 or self.on("two_leaders")
        return {"term": 1, "role": "leader" if leads else "follower", "commit": len(self.log), "log": self.log}


def handle(call):
    if call["call"] == "crash":
        nodes.pop(call["node"], None)
        return None
    if call["call"] == "boot":
        nodes[call["node"]] = Node(call)
    node, reply = nodes[call["node"]], {"seq": call["seq"]}
    if call["call"] == "request":
        node.request(call["request"], reply, call["id"])
    elif call["call"] == "receive" and call["kind"] == "Forward":
        node.write(call["message"]["write"], reply, call["message"]["id"])
    elif call["call"] == "receive":
        node.log.append(call["message"])
    reply["state"] = node.state()
    return reply


json.loads(sys.stdin.readline())
hello = {"protocol": 1, "encoding": "json", "name": "store", "version": "1.0", "calls": ["request"]}
print(json.dumps(hello), flush=True)
for line in sys.stdin:
    answer = handle(json.loads(line))
    if answer is not None:
        print(json.dumps(answer), flush=True)
