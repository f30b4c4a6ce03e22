#!/usr/bin/env python3
"""Runs TLC and our checker on all models of checkouts of public repositories, and compares what they find.

    scripts/tla-corpus.py --classpath JARS [--ours BINARY] [--timeout S] [--cache FILE] [--only TEXT] [--all] DIR ...

A model is a configuration `X.cfg` with a module `X.tla` beside it; where a folder has a `manifest.json` (tlaplus/Examples),
the models that it lists. Nothing is copied or changed: TLC's files go to a folder of their own. `--classpath` gives the
jars of TLC and of the community's modules, separated by colons. `--cache` keeps TLC's results for the next run.

The figures in docs/results/tla.md are of tlaplus/tlaplus cc6b616, etcd-io/raft cdfbeed, microsoft/CCF 0ef8dcb and
tlaplus/CommunityModules a8068a4.

For each model whose results differ (with --all: for each) a line has both verdicts, states generated, distinct, depth,
seconds and megabytes. Verdicts are exit codes. Models that TLC does not finish in time are left out of the sums. Exits with
1 if a verdict or a count differs. Counts after a violation or an error are not compared: they depend on when it is found.
"""
import argparse, json, math, os, pathlib, re, shutil, subprocess, sys, tempfile, time

VERDICTS = {0: "success", 10: "assumption", 11: "deadlock", 12: "safety", 13: "liveness", 14: "assertion", 75: "evaluation",
            76: "evaluation", 77: "evaluation", 150: "parse", 151: "configuration", 152: "limit", 153: "usage", 255: "failure",
            -1: "timeout"}


class Run:
    """One run of a program on a model."""

    def __init__(self, command, cwd, timeout):
        with tempfile.TemporaryFile() as out:
            start = time.monotonic()
            process = subprocess.Popen(command, cwd=cwd, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            code, usage = None, None
            while code is None:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    code = os.waitstatus_to_exitcode(status)
                elif time.monotonic() - start > timeout:
                    process.kill()
                    _, _, usage = os.wait4(process.pid, 0)
                    code = -1
                else:
                    time.sleep(0.02)
            process.returncode = code
            self.seconds = time.monotonic() - start
            out.seek(0)
            text = out.read().decode("utf-8", "replace")
        self.megabytes = usage.ru_maxrss / 1024
        self.code = code
        counts = re.findall(r"(?m)^([\d,]+) states generated.*?, ([\d,]+) distinct", text)
        depth = re.findall(r"depth of the complete state graph search is (\d+)", text)
        self.generated, self.distinct = (int(n.replace(",", "")) for n in counts[-1]) if counts else (None, None)
        self.depth = int(depth[-1]) if depth else None
        error = re.search(r"(?s)(Error: .*)", text)
        self.error = " ".join(error.group(1).split())[:160] if error else ""

    def facts(self):
        return dict(vars(self))


def models(folder):
    """The modules and configurations of a checkout."""
    listed = set()
    for manifest in sorted(folder.rglob("manifest.json")):
        root = folder
        try:
            content = json.loads(manifest.read_text())
        except ValueError:
            continue
        for spec in content.get("specifications", [content]):
            for module in spec.get("modules", []):
                for model in module.get("models", []):
                    mode = model.get("mode", "exhaustive search")
                    pair = (root / module["path"], root / model["path"])
                    if mode == "exhaustive search" and pair[0].exists() and pair[1].exists():
                        listed.add(pair)
    if listed:
        return sorted(listed)
    pairs = ((module_of(cfg), cfg) for cfg in sorted(folder.rglob("*.cfg")))
    return [pair for pair in pairs if pair[0]]


def module_of(cfg):
    """The module of a configuration: that of its name, or the longest whose name it begins with."""
    own = cfg.with_suffix(".tla")
    if own.exists():
        return own
    begins = [module for module in cfg.parent.glob("*.tla") if cfg.stem.startswith(module.stem)]
    return max(begins, key=lambda module: len(module.stem), default=None)


def tlc(classpath, module, cfg, timeout):
    metadir = tempfile.mkdtemp(prefix="tla-corpus-")
    try:
        command = ["java", "-XX:+UseSerialGC", "-Xmx3g", "-Xss16m", "-Dtlc2.tool.impl.Tool.cdot=true", "-cp", classpath, "tlc2.TLC", "-workers", "1", "-metadir",
                   metadir, "-noGenerateSpecTE", "-config", str(cfg.resolve()), str(module.name)]
        return Run(command, module.parent, timeout)
    finally:
        shutil.rmtree(metadir, ignore_errors=True)


def kind(run):
    """The verdict. A violated temporal property is one whatever TLC exits with, which depends on when it sees it."""
    code = run["code"]
    return "liveness" if code == 12 and "Temporal property" in run["error"] else VERDICTS.get(code, f"exit {code}")


def same(theirs, ours):
    """Whether two verdicts are the same. Where TLC ends with an exception of Java (255, overflow of its stack), any error is."""
    crashed = theirs["code"] == 255 or "Java StackOverflowError" in theirs["error"]
    errors = ("evaluation", "parse", "configuration", "limit", "failure")
    return kind(theirs) == kind(ours) or crashed and kind(ours) in errors


def compare(theirs, ours):
    """What differs."""
    if not same(theirs, ours.facts()):
        return f"{kind(ours.facts())} instead of {kind(theirs)}"
    if theirs["code"] != 0:
        return ""
    differences = [f"{name} {getattr(ours, name)} instead of {theirs[name]}" for name in ("generated", "distinct", "depth")
                   if theirs[name] is not None and getattr(ours, name) != theirs[name]]
    # A model of assumptions alone has no states to count.
    return "" if theirs["distinct"] == 0 and ours.distinct in (0, None) else ", ".join(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--classpath", required=True)
    parser.add_argument("--ours", default="target/release/shakedown-tla")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.ours).resolve())
    cache = json.loads(args.cache.read_text()) if args.cache and args.cache.exists() else {}
    total = same_verdict = exact = unfinished = 0
    ratios = []
    for folder in args.folders:
        for module, cfg in models(folder.resolve()):
            name = str(cfg.relative_to(folder.resolve()))
            if args.only not in name:
                continue
            if name not in cache:
                cache[name] = tlc(args.classpath, module, cfg, args.timeout).facts()
                if args.cache:
                    args.cache.write_text(json.dumps(cache))
            theirs = cache[name]
            if theirs["code"] == -1:
                unfinished += 1
                continue
            # TLC reads files from where it is started.
            command = [binary, "check", module.name, "--config", str(cfg), "--quiet"]
            ours = Run(command, module.parent, 4 * args.timeout)
            difference = compare(theirs, ours)
            total += 1
            same_verdict += same(theirs, ours.facts())
            exact += not difference
            if not difference and theirs["seconds"] > 5:
                ratios.append(theirs["seconds"] / max(ours.seconds, 0.001))
            if difference or args.all:
                print(f"{name}: {difference or 'same'}", flush=True)
                for who, run in (("TLC", theirs), ("ours", ours.facts())):
                    print(f"    {who:4} {kind(run):12} generated {run['generated']} distinct {run['distinct']} depth "
                          f"{run['depth']} {run['seconds']:.2f} s {run['megabytes']:.0f} MB {run['error'] if difference else ''}",
                          flush=True)
    print(f"{total} models that TLC finishes: verdict as TLC's {same_verdict}, verdict and all counts {exact}; "
          f"{unfinished} not finished by TLC in {args.timeout:.0f} s")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"seconds by the clock against TLC's on {len(ratios)} models of more than 5 s: least {min(ratios):.1f} x, "
              f"geometric mean {mean:.1f} x")
    return 0 if exact == total else 1


if __name__ == "__main__":
    sys.exit(main())
