#!/usr/bin/env python3
"""Confirms the facts of the `.expect` files with TLC.

    scripts/tla-expect.py TLA2TOOLS_JAR [--write] [--quick] [--jobs N] [--modules FOLDER] [FILE OR FOLDER ...]

Every `X.cfg` is one run of TLC: of `X.tla`, or, where a module has several configurations, of the module
named by the part before the first `-` (`Raft-large.cfg` runs `Raft.tla`). Its facts stand in `X.expect`, one a line:

    distinct N                  distinct states
    generated N                 states generated
    depth N                     depth of the complete state graph search
    violation invariant NAME    likewise: `violation deadlock`, `violation assumption`, `violation property NAME`
    error WORD                  evaluation fails, and the message contains WORD (in any case)
    trace N                     number of states in the (shortest) counterexample

and comments, which start with `#`. Three comments have a meaning: `# not confirmed by TLC` (TLC's release 2.15 cannot
run it: skipped here), `# needs community modules` (skipped unless --modules gives the folder `modules` of a checkout of
github.com/tlaplus/CommunityModules) and `# slow` (skipped with --quick).
Without --write, prints the facts that differ and exits with 1 if there are any; with --write, writes the facts that
TLC gives, and keeps comments and the words of errors. Without paths: the specs of the tests and those of specs/.
"""
import argparse, concurrent.futures, pathlib, re, shutil, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["crates/tla/tests/specs", "specs", "specs/bench"]
UNCONFIRMED = "# not confirmed by TLC"
COMMUNITY = "# needs community modules"


def module_of(cfg):
    """The module that a configuration is for."""
    own = cfg.with_suffix(".tla")
    return own if own.exists() else cfg.with_name(cfg.stem.split("-")[0] + ".tla")


def run(jar, cfg, timeout, modules=None):
    """TLC's output, its seconds."""
    metadir = tempfile.mkdtemp(prefix="tla-expect-")
    command = ["java", "-XX:+UseSerialGC", "-Xmx2g"]
    if modules:
        command.append(f"-DTLA-Library={modules}")
    command += ["-cp", jar, "tlc2.TLC", "-workers", "1", "-metadir", metadir]
    # Release 2.15 takes CHECK_DEADLOCK as an option only, and knows neither ALIAS nor POSTCONDITION, which change no count.
    text = cfg.read_text()
    if re.search(r"(?m)^\s*CHECK_DEADLOCK\s+FALSE", text):
        command.append("-deadlock")
    plain = pathlib.Path(metadir, cfg.name)
    plain.write_text(re.sub(r"(?m)^\s*(CHECK_DEADLOCK|ALIAS|POSTCONDITION)\s+\S+", "", text))
    command += ["-config", str(plain), module_of(cfg).name]
    start = time.monotonic()
    try:
        done = subprocess.run(command, cwd=cfg.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        return done.stdout.decode("utf-8", "replace"), time.monotonic() - start
    finally:
        shutil.rmtree(metadir, ignore_errors=True)


def properties(cfg):
    """The names after PROPERTY or PROPERTIES in a configuration."""
    text = re.sub(r"\\\*.*", "", cfg.read_text())
    text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)
    names, on = [], False
    for word in text.split():
        if re.fullmatch(r"[A-Z_]{4,}", word):
            on = word in ("PROPERTY", "PROPERTIES")
        elif on:
            names.append(word)
    return names


def facts_of(output, cfg, old):
    """The facts in TLC's output, as lines. Words of errors are taken over from `old` if they fit."""
    facts = []

    def find(pattern):
        found = re.search(pattern, output)
        return found and found.group(1)

    if "Model checking completed. No error has been found" in output:
        facts.append("distinct " + find(r"states generated, (\d+) distinct"))
        facts.append("generated " + find(r"(?m)^(\d+) states generated, \d+ distinct"))
        facts.append("depth " + find(r"depth of the complete state graph search is (\d+)"))
        return facts
    states = [int(n) for n in re.findall(r"(?m)^(?:State )?(\d+): <", output)]
    name = find(r"Error: Invariant (\S+) is violated") or find(r"Error: The invariant (\S+) is violated")
    action = find(r"Error: Action property (?:of )?(\S+?) is violated") or find(r"Error: Property (\S+) is violated")
    if "is violated by the initial state" in output:
        states = [1]
    if name:
        facts.append("violation invariant " + name)
    elif "Error: Deadlock reached" in output:
        facts.append("violation deadlock")
    elif re.search(r"Error: Assumption line .* is false", output):
        facts.append("violation assumption")
    elif action or re.search(r"Error: (Action property|Temporal properties were violated)", output):
        names = properties(cfg)
        given = [line.split()[2] for line in old if line.startswith("violation property ")]
        if action in names:
            chosen = action
        elif given and given[0] in names:
            chosen = given[0]
        else:
            chosen = names[0] if names else "?"
        facts.append("violation property " + chosen)
        # When TLC looks for cycles depends on the clock, and with that the states found so far and the counterexample.
        if "Temporal properties were violated" in output:
            states = []
    else:
        words = [line.split(None, 1)[1] for line in old if line.startswith("error ")]
        # What is wrong with the text of a module stands before the error that it could not be read.
        unread = "Parsing or semantic analysis failed" in output or "Error:" not in output
        errors = output if unread else output[output.find("Error:"):]
        fits = [word for word in words if word.lower() in errors.lower()]
        facts += ["error " + word for word in fits] or ["error ?" + " ".join(errors.split())[:400]]
    if states:
        facts.append("trace " + str(max(states)))
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jar")
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--modules", type=pathlib.Path, help="folder of the community modules")
    parser.add_argument("--timeout", type=int, default=900, help="seconds a run may take")
    args = parser.parse_intermixed_args()
    jar = str(pathlib.Path(args.jar).resolve())
    modules = args.modules and args.modules.resolve()
    cfgs = []
    for path in args.paths or [ROOT / folder for folder in FOLDERS]:
        cfgs += sorted(path.glob("*.cfg")) if path.is_dir() else [path.with_suffix(".cfg")]
    cfgs = [cfg.resolve() for cfg in cfgs]

    def one(cfg):
        expect = cfg.with_suffix(".expect")
        old = expect.read_text().splitlines() if expect.exists() else []
        comments = [line for line in old if line.startswith("#")]
        held = [line for line in old if line.strip() and not line.startswith("#")]
        if UNCONFIRMED in comments:
            return cfg, "unconfirmed", [], 0
        if COMMUNITY in comments and not modules:
            return cfg, "without community modules", [], 0
        if args.quick and "# slow" in comments:
            return cfg, "slow", [], 0
        try:
            output, seconds = run(jar, cfg, args.timeout, modules)
        except subprocess.TimeoutExpired:
            return cfg, "timed out", [], args.timeout
        got = facts_of(output, cfg, old)
        if args.write and not (held and all(line in got for line in held)):
            expect.write_text("\n".join(comments + got) + "\n")
            return cfg, "written", got, seconds
        if not args.write:
            # A fact that an .expect leaves out is not a difference; one that it holds and TLC does not give is.
            lines = ["- " + line for line in held if line not in got]
            kinds = {line.split()[0] for line in held}
            lines += ["+ " + line for line in got if line not in held and (lines or line.split()[0] not in kinds)]
            wrong = any(line.startswith("- ") for line in lines) or not held
            return cfg, "differs" if wrong else "same", lines if wrong else [], seconds
        return cfg, "same", got, seconds

    counts = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for cfg, result, lines, seconds in pool.map(one, cfgs):
            counts[result] = counts.get(result, 0) + 1
            if result not in ("same", "slow"):
                name = cfg.relative_to(ROOT) if cfg.is_relative_to(ROOT) else cfg
                print(f"{result:9} {name}" + "".join("\n    " + line for line in lines), flush=True)
    print(", ".join(f"{count} {result}" for result, count in sorted(counts.items())))
    sys.exit(1 if counts.get("differs") or counts.get("timed out") else 0)


if __name__ == "__main__":
    main()
