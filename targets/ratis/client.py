#!/usr/bin/env python3
"""Asks servers of Apache Ratis or raft-java, by the desks beside them: a request a line in, an outcome a line out.

    client.py DESK DESK,DESK,…      the desk whose server is asked first, and all desks

{"append": x} is done, with Ratis, by a client of its own, which retries until it is answered. {"leader": true} is answered once a server leads,
{"equal": true} once all servers have applied the same entries, and {"kept": true} once a server leads that has applied everything
that clients were told is done; {"equal": true} wants that too. {"returns": true} is answered once no client waits in an attempt that
began before the network was healed: clients give attempts up after 3 seconds.
"""

import json
import socket
import sys
import time

# What a desk says whose server does not lead and has not done anything.
NOT_HERE = "not the leader"
# How often each desk is asked, and the pause between.
ATTEMPTS = 10
PAUSE = 0.1


def connect(desk, timeout):
    host, port = desk.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=timeout).makefile("rw")


def status(desk):
    """Whether it leads, what it has applied, what clients at its desk were told is done, and how many of them still wait in an
    attempt from before the first status; nothing if it does not say."""
    try:
        with connect(desk, 2) as stream:
            stream.write("status\n")
            stream.flush()
            leads, applied, told, waiting = (stream.readline().rstrip("\n") + " 0").split(" ")[:4]
            return leads == "true", [x for x in applied.split(",") if x], [x for x in told.split(",") if x], int(waiting)
    except (OSError, ValueError):
        return None


def leader(desks):
    found = [status(desk) for desk in desks]
    if any(one and one[0] for one in found):
        return {"answer": True}
    return {"failed": "no server leads"}


def equal(desks):
    found = [status(desk) for desk in desks]
    if None in found:
        return {"failed": "a server does not say what it has"}
    applied = [one[1] for one in found]
    told = {value for one in found for value in one[2]}
    if any(one != applied[0] for one in applied):
        return {"failed": f"servers differ: {applied}"}
    missing = sorted(told - set(applied[0]))
    return {"failed": f"acknowledged and not there: {missing}"} if missing else {"answer": True}


def returns(desks):
    waiting = [one[3] for one in map(status, desks) if one]
    return {"failed": f"clients wait in old attempts: {waiting}"} if any(waiting) else {"answer": True}


def kept(desks):
    found = [one for one in map(status, desks) if one]
    told = {value for one in found for value in one[2]}
    leaders = [one for one in found if one[0]]
    if any(told <= set(one[1]) for one in leaders):
        return {"answer": True}
    return {"failed": f"{len(leaders)} servers lead, and {sorted(told)} were acknowledged"}


def ask(streams, desk, value):
    """What the desk says; nothing if it is not reached. What it says is empty if the server went away."""
    try:
        if desk not in streams:
            streams[desk] = connect(desk, None)
        streams[desk].write(f"{value}\n")
        streams[desk].flush()
    except OSError:
        streams.pop(desk, None)
        return None
    line = streams[desk].readline()
    if not line:
        del streams[desk]
    return line.strip()


def append(streams, desks, value):
    """Asks one desk after the other, as long as the answer is that another server leads."""
    for attempt in range(ATTEMPTS * len(desks)):
        said = ask(streams, desks[attempt % len(desks)], value)
        if said == "done":
            return {"answer": True}
        if said not in (None, NOT_HERE):
            return {"unknown": said or "the server is gone"}
        time.sleep(PAUSE)
    return {"failed": "no server leads"}


def main():
    first, desks = sys.argv[1], sys.argv[2].split(",")
    # The one that is asked first stands first.
    order = desks[desks.index(first):] + desks[:desks.index(first)]
    streams = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "leader" in request:
                outcome = leader(desks)
            elif "equal" in request:
                outcome = equal(desks)
            elif "returns" in request:
                outcome = returns(desks)
            elif "kept" in request:
                outcome = kept(desks)
            else:
                outcome = append(streams, order, request["append"])
        except OSError as error:
            streams.clear()
            outcome = {"unknown": str(error)}
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
