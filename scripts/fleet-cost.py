#!/usr/bin/env python3
"""What a fleet costs: CPU seconds of the same campaign in one process and by a fleet on this machine.

    scripts/fleet-cost.py cost SHAKEDOWN ROUNDS RUN-ARGUMENTS...
    scripts/fleet-cost.py travels SHAKEDOWN POINTS MORE RUN-ARGUMENTS...
    scripts/fleet-cost.py generations SHAKEDOWN TARGET STRATEGY GUIDE EXECUTIONS SEEDS SIZES

`cost` runs the campaign with --jobs 2, and with two workers of one job each, coordinator and server, one way after the other, as
many rounds as were asked for: what else the machine does meets both. It prints CPU seconds and the largest memory of each process,
and messages and bytes that reach the server. `travels` runs the campaign in one process up to each of the points, which are numbers
of executions with commas between, and from there for so many more by a fleet; it listens to what is published, and prints messages
and bytes by kind, each with the object that it refers to, if it does, and the largest message. `generations` prints what of a guide
a strategy covers by the size of its generation; a fleet covers the same, so it needs none. All figures are of the machine as it is:
leave it alone.
"""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager

WORKERS = 2


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(command, out=os.devnull):
    with open(out, "wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)


def used(process):
    """CPU seconds and the most memory, in MiB, of a process that is over, by its own account."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {"cpu": usage.ru_utime + usage.ru_stime, "mib": usage.ru_maxrss // 1024}


def ended(process):
    process.send_signal(signal.SIGTERM)
    return used(process)


def came_to(path):
    """What a campaign has come to, without times: the same for both ways, or something is wrong."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    covered = [(guide["guide"], guide["covered"]) for guide in found["coverage"]]
    return {key: found[key] for key in ("executions", "failed", "fingerprint", "verdict")} | {"covered": covered}


class Fleet:
    """A server and two workers, in this folder."""

    def __init__(self, shakedown, folder):
        here = os.path.dirname(os.path.abspath(__file__))
        server = subprocess.run([here + "/nats-server.sh"], capture_output=True, text=True, check=True).stdout.strip()
        self.port, self.monitor = free_port(), free_port()
        self.url = f"nats://127.0.0.1:{self.port}"
        store = ["-js", "-sd", folder + "/nats"]
        self.server = start([server, "-a", "127.0.0.1", "-p", str(self.port), *store, "-m", str(self.monitor)])
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        worker = [shakedown, "worker", "--jobs", "1", "--fleet", self.url]
        self.workers = [start(worker) for _ in range(WORKERS)]

    def seen(self):
        """What the server has seen."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}/varz") as page:
            return json.load(page)

    def kill(self):
        for process in [*self.workers, self.server]:
            if process.returncode is None:
                process.kill()
                process.wait()


@contextmanager
def fleet_in(shakedown, folder):
    fleet = Fleet(shakedown, folder)
    try:
        yield fleet
    finally:
        fleet.kill()


def by_one_process(shakedown, arguments, folder):
    began = time.monotonic()
    process = start([shakedown, "run", *arguments, "--jobs", str(WORKERS), "--json"], folder + "/local")
    return used(process) | {"code": process.returncode, "wall": time.monotonic() - began}


def by_a_fleet(shakedown, arguments, folder):
    with fleet_in(shakedown, folder) as fleet:
        began = time.monotonic()
        process = start([shakedown, "run", *arguments, "--json", "--fleet", fleet.url], folder + "/fleet")
        coordinator = used(process)
        wall = time.monotonic() - began
        seen = fleet.seen()
        workers, server = [ended(worker) for worker in fleet.workers], ended(fleet.server)
    return {
        "cpu": sum(process["cpu"] for process in [coordinator, server, *workers]),
        "code": process.returncode,
        "wall": wall,
        "workers": workers,
        "coordinator": coordinator,
        "server": server,
        "messages_in": seen["in_msgs"],
        "bytes_in": seen["in_bytes"],
    }


def cost(shakedown, rounds, arguments):
    cpu = Counter()
    for number in range(1, int(rounds) + 1):
        with tempfile.TemporaryDirectory() as folder:
            local = by_one_process(shakedown, arguments, folder)
            fleet = by_a_fleet(shakedown, arguments, folder)
            result = came_to(folder + "/local")
            same = result == came_to(folder + "/fleet")
        cpu["local"] += local["cpu"]
        cpu["fleet"] += fleet["cpu"]
        print(json.dumps({"round": number, "local": local, "fleet": fleet, "ratio": fleet["cpu"] / local["cpu"]}), flush=True)
        if not same or local["code"] != fleet["code"]:
            sys.exit("the fleet has come to something else")
    result |= {"arguments": arguments, "cpu": cpu, "ratio": cpu["fleet"] / cpu["local"], "same": same}
    print(json.dumps(result, indent=1))


class Ear(threading.Thread):
    """Listens to all that is published on a server: batches, reports, lessons, snapshots and objects."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.stream = socket.create_connection(("127.0.0.1", port)).makefile("rwb")
        self.stream.readline()
        self.stream.write(b'CONNECT {"verbose":false,"headers":true}\r\nSUB shakedown.> 1\r\nSUB $O.SHAKEDOWN.> 2\r\n')
        self.stream.flush()
        self.messages, self.bytes, self.largest = Counter(), Counter(), Counter()
        # The objects of which nothing refers to yet, by name.
        self.objects = {}

    def run(self):
        while line := self.stream.readline():
            words = line.split()
            match words[0] if words else b"":
                case b"PING":
                    self.stream.write(b"PONG\r\n")
                    self.stream.flush()
                case b"MSG":
                    self.take_in(words[1].decode(), self.stream.read(int(words[-1]) + 2)[:-2])
                case b"HMSG":
                    self.take_in(words[1].decode(), self.stream.read(int(words[-1]) + 2)[int(words[-2]) : -2])

    def take_in(self, subject, payload):
        parts = subject.split(".")
        kind, size = parts[1], len(payload)
        if kind == "SHAKEDOWN":
            # An object is counted with the message that refers to it; a part of one is a message as well.
            self.largest["part of an object"] = max(self.largest["part of an object"], size)
            if parts[2] == "M" and payload and not (about := json.loads(payload)).get("deleted"):
                self.objects[about["name"].encode()] = about["size"]
            return
        if kind == "state":
            kind = parts[3]
        self.largest[kind] = max(self.largest[kind], size)
        for name in [name for name in self.objects if name in payload]:
            size += self.objects.pop(name)
        self.messages[kind] += 1
        self.bytes[kind] += size


def travels(shakedown, points, more, arguments):
    with tempfile.TemporaryDirectory() as folder:
        kept = folder + "/kept"
        command = ["run", *arguments, "--keep", kept]
        for point in points.split(","):
            local = start([shakedown, *command, "-n", point, "--jobs", str(WORKERS), "--json"], folder + "/local")
            local = used(local)
            command = ["resume", kept]
            with fleet_in(shakedown, folder) as fleet:
                ear = Ear(fleet.port)
                ear.start()
                end = str(int(point) + int(more))
                began = time.monotonic()
                coordinator = start([shakedown, *command, "-n", end, "--json", "--fleet", fleet.url], folder + "/fleet")
                coordinator = used(coordinator)
                wall = time.monotonic() - began
                workers, server = [ended(worker) for worker in fleet.workers], ended(fleet.server)
                ear.join()
            shutil.rmtree(folder + "/nats")
            print(json.dumps({"executions": int(point), "to": int(end), "local": local, "wall": wall,
                              "messages": ear.messages, "bytes": ear.bytes, "largest message": ear.largest,
                              "coordinator": coordinator, "workers": workers, "server": server}), flush=True)


def generations(shakedown, target, strategy, guide, executions, seeds, sizes):
    print("generation  covered by seed  mean  CPU seconds")
    for size in sizes.split(","):
        covered, seconds = [], 0.0
        for seed in range(1, int(seeds) + 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            name = f"{strategy}{',' if ':' in strategy else ':'}generation={size}"
            run = subprocess.run(
                [shakedown, "run", target, "--strategy", name, "--measure", guide, "--keep-going", "--no-shrink", "--jobs", "1"]
                + ["-n", executions, "--seed", str(seed), "--json"],
                capture_output=True, text=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            found = json.loads(run.stdout)
            covered += [coverage["covered"] for coverage in found["coverage"] if coverage["guide"] == guide]
        print(size, covered, sum(covered) / len(covered), round(seconds, 1), flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["cost", program, rounds, *rest] if rest:
            cost(program, rounds, rest)
        case ["travels", program, points, more, *rest] if rest:
            travels(program, points, more, rest)
        case ["generations", program, target, strategy, guide, executions, seeds, sizes]:
            generations(program, target, strategy, guide, executions, seeds, sizes)
        case _:
            sys.exit(__doc__)
