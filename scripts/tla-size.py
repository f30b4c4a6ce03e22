#!/usr/bin/env python3
"""Measures checks of more states than memory: `tla check --spill` and `--checkpoint` against a check in memory.

    scripts/tla-size.py SPEC.tla --config CFG [--ours BINARY] [--folder DIR] [--shares 2,10] [--kills 3] [--every S]
                        [--memory MiB] [--known FILE]

First the model is checked in memory; the most memory that the process had is its need. Then it is checked with that
divided by each share, and at last with the greatest share and checkpoints, killed (SIGKILL) and recovered as often as
`--kills` says: each time after one more checkpoint, which is written at the end of a level, at most every `--every` seconds.
`--known` keeps the result of the check in memory for the next run. Prints a line for each: processor seconds, seconds by the
clock, memory. Exits with 1 if a verdict, a count or the depth differs from that of the check in memory.
"""
import argparse, json, os, pathlib, shutil, signal, subprocess, sys, tempfile, time

BASE_MIB = 34
"""What the process takes besides states."""


def run(command, kill_after=None):
    """Runs a check; if a manifest is given, kills it when that has changed. Its report, if it ended, and what it took."""
    with tempfile.TemporaryFile() as out:
        before = stamp(kill_after)
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=out, stdin=subprocess.DEVNULL)
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if kill_after and stamp(kill_after) != before:
                process.send_signal(signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.05)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - start
        out.seek(0)
        report = None if process.returncode < 0 else json.load(out)
    return report, {"cpu": usage.ru_utime + usage.ru_stime, "seconds": seconds, "mib": usage.ru_maxrss / 1024}


def stamp(path):
    """When a file was replaced, if it is there."""
    try:
        return path and path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def facts(report):
    """What must be the same."""
    return {key: report.get(key) for key in ("outcome", "name", "generated", "distinct", "depth", "queue")}


def show(name, took, report):
    rate = f"{report['distinct'] / took['cpu']:.0f} distinct states per second of CPU" if report else "killed"
    print(f"{name}: {took['cpu']:.1f} s of CPU, {took['seconds']:.1f} s, {took['mib']:.0f} MiB, {rate}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec", type=pathlib.Path)
    parser.add_argument("--config", type=pathlib.Path, required=True)
    parser.add_argument("--ours", default="target/release/shakedown-tla")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--shares", default="2,10")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--every", type=int, default=60)
    parser.add_argument("--memory", type=int, default=16384)
    parser.add_argument("--known", type=pathlib.Path)
    args = parser.parse_args()
    base = [args.ours, "check", str(args.spec), "--config", str(args.config), "--quiet", "--json", "--memory"]
    if args.known and args.known.exists():
        whole, took = json.loads(args.known.read_text())
    else:
        whole, took = run(base + [str(args.memory)])
        if args.known:
            args.known.write_text(json.dumps([whole, took]))
    show("in memory", took, whole)
    print("   ", json.dumps(facts(whole)), flush=True)
    folder = args.folder or pathlib.Path(tempfile.mkdtemp(prefix="tla-size-"))
    differs = False
    shares = [int(share) for share in args.shares.split(",") if share]
    for share in shares:
        memory = max(int(took["mib"] / share), BASE_MIB + 10)
        report, spilled = run(base + [str(memory), "--spill", str(folder)])
        show(f"--memory {memory} --spill", spilled, report)
        differs |= facts(report) != facts(whole)
    if args.kills and shares:
        memory = max(int(took["mib"] / max(shares)), BASE_MIB + 10)
        command = base + [str(memory), "--checkpoint", str(folder), "--checkpoint-every", str(args.every)]
        manifest = folder / "checkpoint.json"
        kills, total = 0, 0.0
        while True:
            recover = ["--recover"] if manifest.exists() else []
            report, part = run(command + recover, manifest if kills < args.kills else None)
            total += part["cpu"]
            show(f"--memory {memory} --checkpoint {' '.join(recover)}", part, report)
            if report:
                break
            kills += 1
        print(f"killed {kills} times, {total:.1f} s of CPU in all", flush=True)
        differs |= facts(report) != facts(whole) or kills < args.kills
    if not args.folder:
        shutil.rmtree(folder)
    print("a verdict or a count differs" if differs else "all verdicts and counts are equal")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
