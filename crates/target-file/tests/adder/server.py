#!/usr/bin/env python3
"""A server that adds 1 and 2, each once, when steps allow it. It asks by its own clock, a while after it can.

    server.py WRONG      with `true` it adds 1 where 2 is allowed
"""

import json
import os
import socket
import sys
import time

LATE = 0.05

host, port = os.environ["SHAKEDOWN_LIVE"].rsplit(":", 1)
connection = socket.create_connection((host, int(port)))
lines = connection.makefile("r")


def say(kind, **fields):
    connection.sendall((json.dumps({"type": kind, **fields}) + "\n").encode())


say("hello", protocol=1, token=os.environ["SHAKEDOWN_TOKEN"], node=int(os.environ["SHAKEDOWN_NODE"]))
lines.readline()
total = 0
say("state", fields={"total": total})
say("ready")
time.sleep(LATE)
say("action", id=1, name="Add-1")
say("action", id=2, name="Add-2")
for line in lines:
    given = json.loads(line)
    if given["type"] != "permit":
        break
    total += 1 if sys.argv[1] == "true" else given["id"]
    say("state", fields={"total": total})
    say("done", seq=given["seq"])
