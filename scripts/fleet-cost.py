#!/usr/bin/env python3
"""What a fleet costs: CPU seconds of the same campaign in one process and by a fleet on this machine.

    scripts/fleet-cost.py cost SHAKEDOWN RUN-ARGUMENTS...
    scripts/fleet-cost.py generations SHAKEDOWN TARGET STRATEGY EXECUTIONS SEEDS SIZES

`cost` runs the campaign with --jobs 2, and with two workers of one job each, coordinator and server; it prints CPU seconds of each
process, and messages and bytes that reach the server. `generations` prints the coverage of a strategy by the size of its generation,
and how many bytes it has learned; a fleet has the same, so it needs none. All figures are of the machine as it is: leave it alone.
"""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(command, out=os.devnull):
    with open(out, "wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)


def cpu(process):
    """CPU seconds of a process that is over, by its own account."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def ended(process):
    process.send_signal(signal.SIGTERM)
    return cpu(process)


def came_to(path):
    """What a campaign has come to, without times: the same for both ways, or something is wrong."""
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    covered = [(guide["guide"], guide["covered"]) for guide in found["coverage"]]
    return {key: found[key] for key in ("executions", "failed", "fingerprint", "verdict")} | {"covered": covered}


def cost(shakedown, arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    server = subprocess.run([here + "/nats-server.sh"], capture_output=True, text=True, check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        local = start([shakedown, "run", *arguments, "--jobs", "2", "--json"], folder + "/local")
        local = {"cpu": cpu(local), "code": local.returncode, "wall": time.monotonic() - began}
        port, monitor = free_port(), free_port()
        url = f"nats://127.0.0.1:{port}"
        nats = start([server, "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", folder + "/nats", "-m", str(monitor)])
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.05)
        workers = [start([shakedown, "worker", "--jobs", "1", "--fleet", url]) for _ in range(2)]
        began = time.monotonic()
        coordinator = start([shakedown, "run", *arguments, "--json", "--fleet", url], folder + "/fleet")
        fleet = {"coordinator": cpu(coordinator), "code": coordinator.returncode, "wall": time.monotonic() - began}
        with urllib.request.urlopen(f"http://127.0.0.1:{monitor}/varz") as page:
            seen = json.load(page)
        fleet["workers"] = sum(ended(worker) for worker in workers)
        fleet["server"] = ended(nats)
        fleet["cpu"] = fleet["coordinator"] + fleet["workers"] + fleet["server"]
        fleet["messages_in"], fleet["bytes_in"] = seen["in_msgs"], seen["in_bytes"]
        result = came_to(folder + "/local")
        same = result == came_to(folder + "/fleet")
        result |= {"arguments": arguments, "local": local, "fleet": fleet, "ratio": fleet["cpu"] / local["cpu"], "same": same}
        print(json.dumps(result, indent=1))
        if not same or local["code"] != fleet["code"]:
            sys.exit("the fleet has come to something else")


def generations(shakedown, target, strategy, executions, seeds, sizes):
    print("generation  covered by seed  mean  CPU seconds")
    for size in sizes.split(","):
        covered, seconds = [], 0.0
        for seed in range(1, int(seeds) + 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            name = f"{strategy}{',' if ':' in strategy else ':'}generation={size}"
            run = subprocess.run(
                [shakedown, "run", target, "--strategy", name, "--measure", "state", "--keep-going", "--no-shrink", "--jobs", "1"]
                + ["-n", executions, "--seed", str(seed), "--json"],
                capture_output=True, text=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            found = json.loads(run.stdout)
            covered.append(max(guide["covered"] for guide in found["coverage"]))
        print(size, covered, sum(covered) / len(covered), round(seconds, 1), flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["cost", program, *rest] if rest:
            cost(program, rest)
        case ["generations", program, target, strategy, executions, seeds, sizes]:
            generations(program, target, strategy, executions, seeds, sizes)
        case _:
            sys.exit(__doc__)
