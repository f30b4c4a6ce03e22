#!/usr/bin/env python3
"""Measures the checker against TLC, and against tla-mc, on this repository's models.

    scripts/tla-bench.py TLA2TOOLS_JAR [--ours BINARY] [--tla-mc BINARY] [--runs N] [--two] [--only NAME ...]

Builds our binary unless one is given. Every program runs every model N times, one program after the other, with one worker;
the least figure of each counts, for the machine may have other things to do. TLC's start-up, measured with a model of two
states, is subtracted from its times. Prints a table of processor seconds (user and system, of all threads), one of seconds by
the clock, and with --two one of two workers against one. Exits with 1 if the counts of two programs differ.
"""
import argparse, os, pathlib, re, shutil, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = [
    ("specs/Raft.tla", "specs/Raft-large.cfg"),
    ("specs/Raft.tla", "specs/Raft-three.cfg"),
    ("specs/MultiPaxos.tla", "specs/MultiPaxos-large.cfg"),
    ("specs/TwoPhaseCommit.tla", "specs/TwoPhaseCommit-large.cfg"),
    ("specs/bench/FilterLock.tla", "specs/bench/FilterLock.cfg"),
    ("specs/bench/SlidingPuzzle.tla", "specs/bench/SlidingPuzzle.cfg"),
    ("specs/bench/QuorumRegister.tla", "specs/bench/QuorumRegister.cfg"),
]
TRIVIAL = "---- MODULE Trivial ----\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n====\n"


class Run:
    """One run of a program: its processor seconds, its seconds, its memory, and what it printed."""

    def __init__(self, command, cwd):
        with tempfile.TemporaryFile() as out:
            start = time.monotonic()
            process = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.wall = time.monotonic() - start
            out.seek(0)
            self.text = out.read().decode("utf-8", "replace")
        self.cpu = usage.ru_utime + usage.ru_stime
        self.megabytes = usage.ru_maxrss / 1024
        numbers = lambda words: [int(n.replace(",", "")) for n in re.findall(rf"([\d,]+) {words}", self.text)]
        self.generated = (numbers("states generated") or [0])[-1]
        self.distinct = (numbers("distinct states") or numbers("distinct") or [0])[-1]


class Best:
    """The least figures of several runs."""

    def __init__(self, runs):
        self.cpu = min(run.cpu for run in runs)
        self.wall = min(run.wall for run in runs)
        self.megabytes = min(run.megabytes for run in runs)
        self.generated, self.distinct = runs[0].generated, runs[0].distinct


def tlc(jar, module, config, cwd, metadir):
    """TLC's command line: release 2.15 takes CHECK_DEADLOCK as an option only."""
    command = ["java", "-XX:+UseSerialGC", "-cp", jar, "tlc2.TLC", "-workers", "1", "-metadir", metadir]
    text = config.read_text()
    if re.search(r"(?m)^\s*CHECK_DEADLOCK\s+FALSE", text):
        command.append("-deadlock")
    plain = pathlib.Path(metadir, config.name)
    plain.write_text(re.sub(r"(?m)^\s*CHECK_DEADLOCK\s+\S+", "", text))
    return Run(command + ["-config", str(plain), module.name], cwd)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jar")
    parser.add_argument("--ours", help="the binary of shakedown-tla")
    parser.add_argument("--tla-mc", help="the binary of tla-mc")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--two", action="store_true", help="also measure two workers")
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    jar = os.path.abspath(given.jar)
    if given.ours is None:
        subprocess.run(["cargo", "build", "--profile", "dist", "-p", "shakedown-tla", "--features", "cli"], cwd=ROOT, check=True)
        given.ours = str(pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"), "dist/shakedown-tla"))
    ours_binary = os.path.abspath(given.ours)
    metadir = tempfile.mkdtemp(prefix="tla-bench-")
    trivial = pathlib.Path(metadir, "Trivial.tla")
    trivial.write_text(TRIVIAL)
    trivial_cfg = pathlib.Path(metadir, "Trivial.cfg")
    trivial_cfg.write_text("INIT Init\nNEXT Next\n")

    starts = [tlc(jar, trivial, trivial_cfg, metadir, metadir) for _ in range(given.runs)]
    start = Best(starts)
    own_start = Best([Run([ours_binary, "check", "Trivial.tla"], metadir) for _ in range(given.runs)])
    print(f"start-up: TLC {start.cpu:.2f} s of processor time, {start.wall:.2f} s; ours {own_start.wall * 1000:.0f} ms\n")

    rows, wrong = [], []
    for module, config in MODELS:
        module, config = ROOT / module, ROOT / config
        if given.only and config.stem not in given.only:
            continue
        runs = {"ours": [], "tlc": [], "two": [], "mc": []}
        for _ in range(given.runs):
            command = [ours_binary, "check", str(module), "--config", str(config)]
            runs["ours"].append(Run(command, metadir))
            if given.two:
                runs["two"].append(Run(command + ["--workers", "2"], metadir))
            runs["tlc"].append(tlc(jar, module, config, module.parent, metadir))
            if given.tla_mc:
                mc = [os.path.abspath(given.tla_mc), "-workers", "1", "-config", str(config), str(module)]
                runs["mc"].append(Run(mc, metadir))
        best = {name: Best(list_) for name, list_ in runs.items() if list_}
        for name in best:
            if (best[name].generated, best[name].distinct) != (best["ours"].generated, best["ours"].distinct):
                counts = f"{best[name].generated} generated, {best[name].distinct} distinct"
                wrong.append(f"{config.stem}: {name} counts {counts}")
        rows.append((config.stem, best))
        print(f"{config.stem} done", file=sys.stderr, flush=True)
    shutil.rmtree(metadir, ignore_errors=True)

    print("Processor time, one worker, TLC after its start-up:\n")
    print("| model | generated | distinct | ours | TLC | ratio | states/s, ours | TLC | memory, ours | TLC | part |" +
          (" tla-mc | ratio | memory |" if given.tla_mc else ""))
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|" + ("--:|--:|--:|" if given.tla_mc else ""))
    for name, best in rows:
        ours, other = best["ours"], best["tlc"]
        seconds = max(other.cpu - start.cpu, 0.01)
        line = (f"| `{name}` | {ours.generated:,} | {ours.distinct:,} | {ours.cpu:.2f} s | {seconds:.1f} s | "
                f"{seconds / ours.cpu:.1f} × | {ours.generated / ours.cpu:,.0f} | {ours.generated / seconds:,.0f} | "
                f"{ours.megabytes:.0f} MB | {other.megabytes:.0f} MB | 1/{other.megabytes / ours.megabytes:.0f} |")
        if "mc" in best:
            line += f" {best['mc'].cpu:.2f} s | {best['mc'].cpu / ours.cpu:.1f} × | {best['mc'].megabytes:.0f} MB |"
        print(line.replace(",", " "))
    print("\nBy the clock:\n")
    print("| model | ours | TLC | ratio |" + (" two workers | ratio to one |" if given.two else ""))
    print("|---|--:|--:|--:|" + ("--:|--:|" if given.two else ""))
    for name, best in rows:
        ours = best["ours"]
        seconds = max(best["tlc"].wall - start.wall, 0.01)
        line = f"| `{name}` | {ours.wall:.2f} s | {seconds:.1f} s | {seconds / ours.wall:.1f} × |"
        if given.two:
            line += f" {best['two'].wall:.2f} s | {ours.wall / best['two'].wall:.2f} × |"
        print(line)
    if wrong:
        print("\nCounts differ:\n" + "\n".join(wrong))
        sys.exit(1)


if __name__ == "__main__":
    main()
