"""Nodes in Python for Shakedown, which tests distributed protocols: the host's side of its node protocol.

A protocol is a class derived from `Node`. A program serves it::

    import shakedown

    class Counter(shakedown.Node):
        def boot(self, env, disk):
            self.total = disk.get("total", 0)

        def request(self, env, id, request):
            self.total += request
            env.put("total", self.total)
            env.broadcast("Total", self.total)
            env.answer(id, self.total)

        def receive(self, env, sender, kind, message):
            self.total = max(self.total, message)

        def state(self):
            return {"total": self.total}

    shakedown.serve(Counter, name="counter", version="counter 1.0", kinds=["Total"])
"""

from .env import Env
from .failure import Failure
from .host import Host, HostError
from .node import Node
from .plain import BadValue, as_bytes
from .process import serve
from .random import Random

__all__ = ["BadValue", "Env", "Failure", "Host", "HostError", "Node", "Random", "as_bytes", "serve"]
