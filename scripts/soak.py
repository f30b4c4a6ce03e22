#!/usr/bin/env python3
"""A soak: millions of double runs, evenly over all pairs of target and strategy, for as long as it takes.

    scripts/soak.py [--executions 10000000] [--third-party 1000000] [--hours H] [--journal FILE] [--jobs 1] [PROGRAM …]
    scripts/soak.py --table [--journal FILE]       print what the journal holds, run nothing

Every chunk is one process: `run TARGET --strategy S --check-determinism --keep-going --no-shrink --json --jobs 1`, with a seed
of its own. Its outcome is appended to the journal (JSON lines) when it ends, so a soak that was killed continues where it
was. Chunks go round all pairs, so the numbers are even at any moment. A first pass of small chunks measures the rates and
prints an estimate. After the soak every target runs `--resident` executions in one process, and its resident memory is
recorded from beginning to end.

A difference between the two runs of an execution, a process that ends by a signal or a panic, and output that is no summary
are bad outcomes: they are printed, counted, and the exit code is 1. Findings are what targets with bugs are expected to have.
"""

import argparse
import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ["shakedown", "shakedown-tendermint", "shakedown-omnipaxos-0-2-3", "shakedown-omnipaxos-0-2-2"]
THIRD_PARTY = ("raft", "omnipaxos", "tendermint")
FIRST_CHUNK = 500
# A chunk is cut short after this time, and what it did counts.
CHUNK_SECONDS_MAX = 120
# A process that is alive this much later hangs.
GRACE_SECONDS = 120


def words(program, command):
    """The names that `targets` and `strategies` list: what begins a line."""
    text = subprocess.run([program, command], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in text.splitlines() if line[:1].isalpha()]


@functools.cache
def with_waypoints(program, target, strategy):
    """The strategy, with a way over the first predicate that the target offers if it needs one."""
    if strategy != "waypoint":
        return strategy
    text = subprocess.run([program, "targets", target, "--json"], capture_output=True, text=True, check=True).stdout
    listed = json.loads(text)
    listed = listed[0] if isinstance(listed, list) else listed
    return f"waypoint:waypoints=[{listed['waypoints'][0]['name']}(1)]" if listed["waypoints"] else strategy


class Journal:
    """What was done, a line for each process; a line that a kill cut in two is dropped."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_bytes() if path.exists() else b""
        whole = text[: text.rfind(b"\n") + 1]
        if whole != text:
            path.write_bytes(whole)
        self.entries = [json.loads(line) for line in whole.decode().splitlines()]
        self.lock = threading.Lock()

    def append(self, entry):
        with self.lock:
            self.entries.append(entry)
            with open(self.path, "a") as file:
                file.write(json.dumps(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())


def pair(entry):
    return entry["program"], entry["target"], entry["strategy"]


def memory_kib(pid):
    """Resident memory of a process now, and the most it ever was."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        sizes = {line.split()[0]: int(line.split()[1]) for line in lines if line.startswith(("VmRSS:", "VmHWM:"))}
        return sizes.get("VmRSS:", 0), sizes.get("VmHWM:", 0)
    except OSError:
        return 0, 0


def wait(process, seconds, samples):
    """Waits for a process and samples its memory: its resources, or None if it hangs.

    What the system reports at the end (`ru_maxrss`) counts this script's own pages before the program was started.
    """
    deadline = time.monotonic() + seconds
    pause = 0.01
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        samples.append((time.monotonic(), *memory_kib(process.pid)))
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            return None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.2)


def run(program, target, strategy, executions, seed, seconds, options=()):
    """One process; what came of it as an entry of the journal, and how its memory went."""
    samples = []
    entry = {"program": Path(program).name, "target": target, "strategy": strategy, "seed": seed, "asked": executions}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        command = [program, "run", target, "--strategy", with_waypoints(program, target, strategy), "--executions", str(executions), "--seed", str(seed)]
        command += ["--keep-going", "--no-shrink", "--json", "--jobs", "1", "--time", str(seconds), "--out", folder]
        process = subprocess.Popen(command + list(options), stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        usage = wait(process, seconds + GRACE_SECONDS, samples)
        out.seek(0)
        err.seek(0)
        errors = err.read(4000).decode(errors="replace")
        try:
            summary = json.loads(out.read())
        except ValueError:
            summary = {}
    findings = Counter({finding["property"]: finding["hits"] for finding in summary.get("findings", [])})
    entry |= {
        "exit": process.returncode if usage else "hangs",
        "executions": summary.get("executions", 0),
        "failed": summary.get("failed", 0),
        "unknown": summary.get("unknown", 0),
        "findings": dict(findings),
        "fingerprint": summary.get("fingerprint"),
        "seconds": round(summary.get("seconds", 0.0), 3),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 3) if usage else None,
        "peak_rss_kib": max((peak for _, _, peak in samples), default=0),
        "cut_short": summary.get("cut_short"),
    }
    # One line of refusal before anything ran: a contract rules the strategy out, or the target has no rounds.
    if entry["exit"] == 2 and not summary and errors.count("\n") == 1 and "panicked" not in errors:
        return entry | {"ruled_out": errors.strip()}, samples
    bad = []
    if findings["determinism"]:
        bad.append(f"{findings['determinism']} executions differ when they run again")
    if entry["exit"] not in (0, 1) and not (entry["exit"] == 2 and (entry["unknown"] or entry["cut_short"])):
        bad.append(f"exit {entry['exit']}")
    if "panicked at" in errors:
        bad.append("a panic on stderr")
    if not summary:
        bad.append("no summary")
    if bad:
        entry |= {"bad": "; ".join(bad), "stderr": errors}
    return entry, samples


def quotas(pairs, executions, third_party):
    """How many executions each pair is to have: the same for all, and more where a third party's target needs it."""
    of_target = Counter((program, target) for program, target, _ in pairs)

    def quota(program, target):
        least = -(-executions // len(pairs))
        if target.startswith(THIRD_PARTY):
            least = max(least, -(-third_party // of_target[program, target]))
        return least

    return {one: quota(one[0], one[1]) for one in pairs}


def table(entries):
    """A line for each target, then the total."""
    soak = [entry for entry in entries if "resident" not in entry and "ruled_out" not in entry]
    ruled_out = {pair(entry) for entry in entries if "ruled_out" in entry}
    rows = defaultdict(list)
    for entry in soak:
        rows[entry["program"], entry["target"]].append(entry)
    lines = ["| target | pairs | double runs | fewest of a pair | differences | failed | findings | per second | peak RSS |"]
    lines.append("|---|--:|--:|--:|--:|--:|---|--:|--:|")
    for (program, target), of in sorted(rows.items()):
        by_strategy = Counter()
        findings = Counter()
        for entry in of:
            by_strategy[entry["strategy"]] += entry["executions"]
            findings.update(entry["findings"])
        differences = findings.pop("determinism", 0)
        count = sum(by_strategy.values())
        rate = count / max(sum(entry["cpu_seconds"] or 0 for entry in of), 1e-9)
        peak = max(entry["peak_rss_kib"] for entry in of) / 1024
        name = target if program == "shakedown" else program.removeprefix("shakedown-")
        failed = sum(entry["failed"] for entry in of)
        found = ", ".join(sorted(findings)) or "none"
        lines.append(
            f"| {name} | {len(by_strategy)} | {count} | {min(by_strategy.values())} | {differences} | {failed} | {found} "
            f"| {rate:.0f} | {peak:.0f} MiB |"
        )
    total = sum(entry["executions"] for entry in soak)
    bad = [entry for entry in entries if "bad" in entry]
    lines.append("")
    lines.append(
        f"{total} double runs in {len({pair(entry) for entry in soak})} pairs, {len(ruled_out)} pairs ruled out by a contract "
        f"or a lack of rounds, {sum(entry['cpu_seconds'] or 0 for entry in soak):.0f} s of processor time, "
        f"{len(bad)} bad outcomes"
    )
    resident = [entry for entry in entries if "resident" in entry]
    if resident:
        lines += ["", "| target, one process | executions | resident after 1 % | 10 % | 50 % | end | peak |", "|---|--:|--:|--:|--:|--:|--:|"]
        for entry in resident:
            sizes = " | ".join(f"{kib / 1024:.1f} MiB" for kib in entry["resident"])
            name = entry["target"] if entry["program"] == "shakedown" else entry["program"].removeprefix("shakedown-")
            lines.append(f"| {name}, {entry['strategy']} | {entry['executions']} | {sizes} | {entry['peak_rss_kib'] / 1024:.1f} MiB |")
    reasons = Counter(
        entry["ruled_out"].replace(f"`{entry['strategy']}`", "STRATEGY") for entry in entries if "ruled_out" in entry
    )
    lines += [""] + [f"ruled out, {count} pairs: {reason}" for reason, count in reasons.most_common()]
    for entry in bad:
        lines.append(f"BAD: {' '.join(pair(entry))} seed {entry['seed']}: {entry['bad']}")
    return "\n".join(lines), len(bad)


class Soak:
    def __init__(self, options, journal):
        self.options = options
        self.journal = journal
        self.deadline = time.monotonic() + options.hours * 3600 if options.hours else None
        self.programs = {Path(program).name: program for program in options.programs}

    def over(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def do(self, chunk):
        """One chunk: a pair, its number, how many executions."""
        (program, target, strategy), number, executions = chunk
        if self.over():
            return
        seed = zlib.crc32(f"{target} {strategy} {number}".encode()) + 1
        entry, _ = run(self.programs[program], target, strategy, executions, seed, CHUNK_SECONDS_MAX, ["--check-determinism"])
        self.journal.append(entry)
        if "bad" in entry:
            print(f"BAD: {target} with {strategy}, seed {seed}: {entry['bad']}", flush=True)

    def standing(self):
        done, chunks, ruled_out = Counter(), Counter(), set()
        for entry in self.journal.entries:
            if "ruled_out" in entry:
                ruled_out.add(pair(entry))
            elif "resident" not in entry:
                done[pair(entry)] += entry["executions"]
                chunks[pair(entry)] += 1
        return done, chunks, ruled_out

    def soak(self, pool):
        pairs = [
            (name, target, strategy)
            for name, program in self.programs.items()
            for target in words(program, "targets")
            for strategy in words(program, "strategies")
        ]
        estimated = False
        while not self.over():
            done, chunks, ruled_out = self.standing()
            left = [one for one in pairs if one not in ruled_out]
            fresh = [one for one in left if not chunks[one]]
            if fresh:
                list(pool.map(self.do, [(one, 0, FIRST_CHUNK) for one in fresh]))
                continue
            wanted = quotas(left, self.options.executions, self.options.third_party)
            if not estimated:
                self.estimate(wanted, done)
                estimated = True
            # A pair that comes to nothing again and again is bad already; it must not keep the soak for ever.
            open_pairs = [one for one in left if done[one] < wanted[one] and not self.stuck(one)]
            if not open_pairs:
                return
            work = [(one, chunks[one], min(self.options.chunk, wanted[one] - done[one])) for one in open_pairs]
            list(pool.map(self.do, work))
            done = self.standing()[0]
            print(f"{sum(done.values())} double runs", flush=True)

    def stuck(self, one):
        last = [entry for entry in self.journal.entries if pair(entry) == one and "resident" not in entry][-3:]
        return len(last) == 3 and all(entry["executions"] == 0 for entry in last)

    def estimate(self, wanted, done):
        seconds, slowest = 0.0, []
        for one, quota in wanted.items():
            of = [entry for entry in self.journal.entries if pair(entry) == one and "resident" not in entry]
            each = sum(entry["cpu_seconds"] or 0 for entry in of) / max(done[one], 1)
            seconds += each * max(quota - done[one], 0)
            slowest.append((1 / max(each, 1e-9), one))
        slowest.sort()
        for rate, one in slowest[:8] + slowest[-3:]:
            print(f"{rate:8.0f} double runs a second: {' '.join(one)}")
        total = sum(wanted.values())
        print(f"{len(wanted)} pairs, {total} double runs, about {seconds / 3600:.1f} h of processor time to go", flush=True)

    def resident(self):
        """Each target in one process: does its memory grow?"""
        measured = {entry["program"] + entry["target"] for entry in self.journal.entries if "resident" in entry}
        for name, program in self.programs.items():
            for target in words(program, "targets"):
                if name + target in measured or self.over():
                    continue
                entry, samples = run(program, target, "random", self.options.resident, 1, 6 * 3600)
                begin, end = samples[0][0], samples[-1][0]

                def at(part):
                    return next(kib for when, kib, _ in samples if when >= begin + (end - begin) * part)

                # The last samples may be of a process that has given its memory back already.
                self.journal.append(entry | {"resident": [at(0.01), at(0.1), at(0.5), at(0.99)]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", help="binaries with targets [default: those in target/release]")
    parser.add_argument("--executions", type=int, default=10_000_000, help="in all, each of them twice")
    parser.add_argument("--third-party", type=int, default=1_000_000, help="at least this many on raft, omnipaxos, tendermint")
    parser.add_argument("--chunk", type=int, default=10_000, help="executions in one process")
    parser.add_argument("--resident", type=int, default=1_000_000, help="executions of one process that memory is watched in; 0: none")
    parser.add_argument("--hours", type=float, help="stop after this time; the same command continues")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
    parser.add_argument("--journal", type=Path, default=ROOT / "target/soak/journal.jsonl")
    parser.add_argument("--table", action="store_true", help="print the table of the journal, run nothing")
    options = parser.parse_args()
    journal = Journal(options.journal)
    if not options.table:
        if not options.programs:
            options.programs = [str(path) for name in PROGRAMS if (path := ROOT / "target/release" / name).exists()]
        if not options.programs:
            sys.exit("no release binary: build one with `cargo build --release`, or name one")
        soak = Soak(options, journal)
        with ThreadPoolExecutor(options.jobs) as pool:
            soak.soak(pool)
        if options.resident:
            soak.resident()
    text, bad = table(journal.entries)
    print(text)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
