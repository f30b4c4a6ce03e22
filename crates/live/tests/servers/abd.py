#!/usr/bin/env python3
"""A register on several servers, after Attiya, Bar-Noy and Dolev (1995): a server for tests, with its own clock, sockets and disk.

    abd.py --id 1 --peer-port P --client-port P --peers 1=127.0.0.1:P,2=127.0.0.1:P --data FOLDER [--local]

Servers send each other JSON behind its length in four bytes. A client writes one request a line. With --local, a server answers by
what it holds itself and tells the others later: that is not linearizable.
"""

import argparse
import asyncio
import json
import os
import struct


class Server:
    def __init__(self, options):
        self.id = options.id
        self.is_local = options.local
        peers = (peer.split("=") for peer in options.peers.split(","))
        self.peers = {int(number): address.rsplit(":", 1) for number, address in peers}
        self.file = os.path.join(options.data, "registers")
        self.values = {}
        self.queues = {}
        self.replies = {}
        self.operations = 0
        if os.path.exists(self.file):
            with open(self.file, encoding="utf-8") as log:
                for line in log:
                    if line.endswith("\n"):
                        key, stamp, value = json.loads(line)
                        self.values[key] = (tuple(stamp), value)
        self.log = open(self.file, "a", encoding="utf-8")

    def held(self, key):
        return self.values.get(key, ((0, 0), 0))

    def store(self, key, stamp, value):
        if tuple(stamp) > self.held(key)[0]:
            self.values[key] = (tuple(stamp), value)
            self.log.write(json.dumps([key, stamp, value]) + "\n")
            self.log.flush()
            os.fsync(self.log.fileno())

    def handle(self, message):
        """What a server answers to another, and what an answer means."""
        kind, key = message["type"], message["key"]
        if kind == "query":
            stamp, value = self.held(key)
            return {"type": "holds", "op": message["op"], "key": key, "stamp": stamp, "value": value, "from": self.id}
        if kind == "store":
            self.store(key, message["stamp"], message["value"])
            return {"type": "stored", "op": message["op"], "key": key, "from": self.id}
        waiting = self.replies.get(message["op"])
        if waiting is not None:
            replies, has_changed = waiting
            replies[message["from"]] = message
            has_changed.set()
        return None

    def send(self, peer, message):
        queue = self.queues[peer]
        if queue.full():
            queue.get_nowait()
        queue.put_nowait(message)

    async def deliver(self, peer):
        """Sends what is for one peer, on a connection that is made again whenever it is lost."""
        host, port = self.peers[peer]
        while True:
            try:
                _, writer = await asyncio.open_connection(host, int(port))
                while True:
                    body = json.dumps(await self.queues[peer].get()).encode()
                    writer.write(struct.pack(">I", len(body)) + body)
                    await writer.drain()
            except OSError:
                await asyncio.sleep(0.02)

    async def accept_peer(self, reader, _writer):
        try:
            while True:
                (length,) = struct.unpack(">I", await reader.readexactly(4))
                message = json.loads(await reader.readexactly(length))
                answer = self.handle(message)
                if answer is not None:
                    self.send(message["from"], answer)
        except (asyncio.IncompleteReadError, OSError):
            pass

    async def ask(self, message):
        """Asks everyone again and again, until a majority has answered."""
        self.operations += 1
        message = dict(message, op=f"{self.id}.{os.getpid()}.{self.operations}")
        message["from"] = self.id
        replies, has_changed = self.replies.setdefault(message["op"], ({}, asyncio.Event()))
        replies[self.id] = self.handle(message)
        while len(replies) <= len(self.peers) // 2:
            for peer in self.peers:
                if peer != self.id and peer not in replies:
                    self.send(peer, message)
            has_changed.clear()
            try:
                await asyncio.wait_for(has_changed.wait(), 0.3)
            except asyncio.TimeoutError:
                pass
        del self.replies[message["op"]]
        return list(replies.values())

    async def newest(self, key):
        return max((tuple(reply["stamp"]), reply["value"]) for reply in await self.ask({"type": "query", "key": key}))

    async def do(self, request):
        if "read" in request:
            key = request["read"]
            if self.is_local:
                return {"value": self.held(key)[1]}
            stamp, value = await self.newest(key)
            await self.ask({"type": "store", "key": key, "stamp": stamp, "value": value})
            return {"value": value}
        key, value = request["write"]
        stamp = self.held(key)[0] if self.is_local else (await self.newest(key))[0]
        message = {"type": "store", "key": key, "stamp": [stamp[0] + 1, self.id], "value": value}
        if self.is_local:
            self.store(key, message["stamp"], value)
            asyncio.ensure_future(self.ask(message))
        else:
            await self.ask(message)
        return "done"

    async def accept_client(self, reader, writer):
        try:
            while line := await reader.readline():
                writer.write((json.dumps(await self.do(json.loads(line))) + "\n").encode())
                await writer.drain()
        except OSError:
            pass

    async def run(self, options):
        for peer in self.peers:
            if peer != self.id:
                self.queues[peer] = asyncio.Queue(maxsize=50)
                asyncio.ensure_future(self.deliver(peer))
        await asyncio.start_server(self.accept_peer, "127.0.0.1", options.peer_port)
        server = await asyncio.start_server(self.accept_client, "127.0.0.1", options.client_port)
        print("ready", flush=True)
        await server.serve_forever()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--id", type=int, required=True)
    parser.add_argument("--peer-port", type=int, required=True)
    parser.add_argument("--client-port", type=int, required=True)
    parser.add_argument("--peers", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--local", action="store_true")
    options = parser.parse_args()
    asyncio.run(Server(options).run(options))


if __name__ == "__main__":
    main()
