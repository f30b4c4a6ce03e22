#!/usr/bin/env python3
"""Runs the TLA+ checker on the models of a checkout of tlaplus/Examples and compares with the recorded results.

usage: tla-examples.py CHECKOUT LIST.json [--binary PATH] [--timeout SECONDS] [--only SUBSTRING] [--jobs N] [--verbose]

LIST.json is a list of objects with `spec`, `cfg`, `result` and `distinct_states` (null when none is recorded).
Nothing of the collection is copied: it is read where it is.
"""
import argparse
import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EXIT_CODES = {"success": {0}, "safety failure": {12, 14}, "liveness failure": {13}, "deadlock failure": {11},
              "assumption failure": {10}}


def run(model, options):
    """One model: its verdict, counts and time."""
    command = [options.binary, "check", str(options.checkout / model["spec"]), "--config",
               str(options.checkout / model["cfg"])]
    start = time.time()
    try:
        # Files that a specification reads are named from the root of the collection.
        done = subprocess.run(command, cwd=options.checkout, capture_output=True, timeout=options.timeout, text=True,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return "timeout", "", options.timeout
    seconds = time.time() - start
    counts = re.search(r"^(\d+) states generated, (\d+) distinct", done.stdout, re.M)
    distinct = int(counts.group(2)) if counts else None
    generated = int(counts.group(1)) if counts else None
    error = next((line for line in done.stdout.splitlines() if line.startswith(("Error", "Stopped"))), "")
    if not error and done.returncode not in (0,):
        error = (done.stderr.strip().splitlines() or ["exit code %d" % done.returncode])[-1]
    if done.returncode not in EXIT_CODES.get(model["result"], {0}):
        return "error", f"exit {done.returncode}: {error}", seconds
    wanted = model["distinct_states"]
    if wanted is None or model["result"] != "success":
        return "right", error, seconds
    if distinct != wanted:
        return "wrong", f"{distinct} distinct instead of {wanted}", seconds
    if generated != model.get("total_states"):
        return "exact", f"generated {generated} instead of {model.get('total_states')}", seconds
    return "exact", "", seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("list", type=Path)
    parser.add_argument("--binary", default="target/release/shakedown-tla")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.checkout, options.binary = options.checkout.resolve(), str(Path(options.binary).resolve())
    models = [m for m in json.loads(options.list.read_text()) if options.only in m["spec"] + " " + m["cfg"]]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda m: run(m, options), models))
    totals = {}
    for model, (verdict, message, seconds) in zip(models, results):
        totals[verdict] = totals.get(verdict, 0) + 1
        if options.verbose or verdict not in ("exact", "right"):
            name = Path(model["spec"]).relative_to("specifications")
            print(f"{verdict:8} {seconds:7.2f} s  {name} {Path(model['cfg']).name}  {message}")
    counted = [r for m, r in zip(models, results) if m["distinct_states"] is not None and m["result"] == "success"]
    failing = [r for m, r in zip(models, results) if m["result"] != "success"]
    print(f"\nexact counts: {sum(r[0] == 'exact' for r in counted)} of {len(counted)}")
    print(f"failing models that fail as recorded: {sum(r[0] == 'right' for r in failing)} of {len(failing)}")
    print("all: " + ", ".join(f"{n} {verdict}" for verdict, n in sorted(totals.items())))
    return 0 if totals.keys() <= {"exact", "right"} else 1


if __name__ == "__main__":
    sys.exit(main())
