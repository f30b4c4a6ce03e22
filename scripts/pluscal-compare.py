#!/usr/bin/env python3
"""Translates the PlusCal algorithms of checkouts with the reference translator and with ours, and compares the files.

    scripts/pluscal-compare.py CLASSPATH FOLDER...

CLASSPATH leads to `pcal.trans`: tla2tools.jar, or the classes of tlaplus built from their sources. Nothing in the folders is
changed. `--record` writes the `.expect` files of crates/tla/tests/pluscal anew instead, from the reference translator and TLC.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ROOT / "crates/tla/tests/pluscal"
STARTS = ("--algorithm", "--fair algorithm")


def reference(classpath, folder, name):
    """Whether the reference translator translates a file in place."""
    command = ["java", "-cp", classpath, "pcal.trans", "-nocfg", "-noold", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "Translation completed" in done.stdout


def compare(program, classpath, path):
    """One of: same, different, refused by both, refused by one of them."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        shutil.copy(path, copy)
        ours = subprocess.run([program, "pcal", "--stdout", str(copy)], capture_output=True, check=False)
        theirs = reference(classpath, folder, path.name)
        if ours.returncode != 0 or not theirs:
            if ours.returncode == 0:
                return "refused by the reference"
            return "refused by ours" if theirs else "refused by both"
        lines = [text.replace(b"\r\n", b"\n") for text in (ours.stdout, copy.read_bytes())]
        return "same" if lines[0] == lines[1] else "different"


def verdict(code, output):
    """The facts of an `.expect` file that TLC gives."""
    violations = {11: "violation deadlock", 13: "violation property", 14: "violation assertion"}
    if code in violations:
        return [violations[code]]
    broken = re.search(r"Invariant (\w+) is violated", output)
    if broken:
        return [f"violation invariant {broken[1]}"]
    if code != 0:
        sys.exit(f"TLC failed:\n{output}")
    generated, distinct = re.findall(r"(\d+) states generated, (\d+) distinct states found", output)[-1]
    depth = re.findall(r"The depth of the complete state graph search is (\d+)", output)[-1]
    return [f"distinct {distinct}", f"generated {generated}", f"depth {depth}"]


def record(classpath):
    """Writes what the reference translator and TLC make of our own algorithms."""
    for path in sorted(OWN.glob("*.tla")):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / path.name
            shutil.copy(path, copy)
            shutil.copy(path.with_suffix(".cfg"), folder)
            if not reference(classpath, folder, path.name):
                sys.exit(f"{path} is refused by the reference")
            sums = re.search(r'chksum\(pcal\) = "(\w+)" /\\ chksum\(tla\) = "(\w+)"', copy.read_text())
            command = ["java", "-XX:+UseParallelGC", "-cp", classpath, "tlc2.TLC", "-cleanup", "-workers", "1", path.name]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            facts = [f"checksums {sums[1]} {sums[2]}"] + verdict(done.returncode, done.stdout)
            path.with_suffix(".expect").write_text("\n".join(facts) + "\n")


def main():
    """Compares, or records."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--record"] and len(arguments) == 2:
        record(arguments[1])
        return
    if len(arguments) < 2:
        sys.exit(__doc__)
    subprocess.run(["cargo", "build", "-q", "-p", "shakedown-tla"], cwd=ROOT, check=True)
    program = ROOT / "target/debug/shakedown-tla"
    counts = {}
    for folder in arguments[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*.tla")):
            text = path.read_text(encoding="utf-8", errors="replace")
            if not any(start in text for start in STARTS):
                continue
            result = compare(program, arguments[0], path)
            counts[result] = counts.get(result, 0) + 1
            if result != "same":
                print(f"{result}: {path}")
    for result, count in sorted(counts.items()):
        print(f"{count} {result}")


if __name__ == "__main__":
    main()
