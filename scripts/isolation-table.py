#!/usr/bin/env python3
"""Executions until each isolation fault of targets/txn-store is found, by strategy; and what the find is shrunk to.

    scripts/isolation-table.py [SEEDS [EXECUTIONS]]

Prints the table of docs/results/histories.md: for each fault and strategy the mean number of executions to the first find over SEEDS seeds
(default 20), and in how many of them it was found within EXECUTIONS (default 3000) if not in all. Then for each fault, with random and seed 1, the transactions
of the shrunk schedule and the steps. The program is $PROGRAM, or target/release/shakedown-txn-store: build it first.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

# Each fault with the strongest model under which it shows its own anomaly.
FAULTS = {
    "lagging": "strict-serializable",
    "snapshot": "serializable",
    "forks": "snapshot-isolation",
    "lost-updates": "cursor-stability",
    "read-committed": "consistent-view",
    "forgets-own": "read-atomic",
    "leaks-aborts": "read-committed",
    "cuts-commits": "read-committed",
    "peeks": "read-committed",
    "shuffles": "read-committed",
    "read-uncommitted": "read-committed",
    "nothing": "read-committed",
    "tears-commits": "read-uncommitted",
    "invents": "read-uncommitted",
    "commits-twice": "read-uncommitted",
    "announces": "read-committed",
    "mixes-snapshots": "consistent-view",
    "foresees": "read-committed",
    "buries-aborts": "read-committed",
}
STRATEGIES = ["random", "pctcp", "pos", "fuzz:guide=state", "fuzz:guide=trace"]
PROGRAM = os.environ.get("PROGRAM") or os.path.join(os.environ.get("CARGO_TARGET_DIR", "target"), "release", "shakedown-txn-store")


def run(fault, strategy, seed, executions, *more):
    command = [PROGRAM, "run", "txn-store", "--set", f"isolation={fault}", "--set", f"model={FAULTS[fault]}", "-s", strategy, "--seed", str(seed)]
    command += ["-n", str(executions), "--json", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def cell(fault, strategy, seeds, executions):
    with tempfile.TemporaryDirectory() as out:
        results = [run(fault, strategy, seed, executions, "--no-shrink", "--out", out) for seed in range(1, seeds + 1)]
    found = [result["findings"][0]["execution"] + 1 for result in results if result["findings"]]
    if not found:
        return "–"
    mean = f"{sum(found) / len(found):.1f}"
    return mean if len(found) == seeds else f"{mean} ({len(found)}/{seeds})"


def shrunk(fault, executions):
    with tempfile.TemporaryDirectory() as out:
        result = run(fault, "random", 1, executions, "--out", out)
        finding = result["findings"][0]
        with open(finding["file"], encoding="utf-8") as file:
            steps = json.load(file)["schedule"]
    requests = sum(1 for step in steps if str(step).startswith("request"))
    # The transactions that the reason names are those of the cycle, and those whose reads show it.
    named = len(set(re.findall(r"\bT\d+", finding["reason"])))
    return finding["reason"].split(":")[0], requests, named, finding["steps_shrunk"]


def main():
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    executions = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    print("| `isolation=` | `model=` | " + " | ".join(f"`{strategy}`" for strategy in STRATEGIES) + " | shrunk to | transactions | named | steps |")
    print("|---|---|" + "--:|" * len(STRATEGIES) + "---|--:|--:|--:|")
    for fault in FAULTS:
        cells = [cell(fault, strategy, seeds, executions) for strategy in STRATEGIES]
        kind, requests, named, steps = shrunk(fault, executions)
        print(f"| `{fault}` | `{FAULTS[fault]}` | " + " | ".join(cells) + f" | `{kind}` | {requests} | {named} | {steps} |", flush=True)
        if requests > named:
            sys.exit(f"{fault}: {requests} transactions are left, and the anomaly needs {named}")


main()
