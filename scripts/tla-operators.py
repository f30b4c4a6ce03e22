#!/usr/bin/env python3
"""Compares the operators of the standard and the community's modules with TLC's, one small expression each.

    scripts/tla-operators.py [--ours BINARY] [--classpath JARS] [--write] [--modules FOLDER ...] [--only MODULE]

The expressions and their values stand in crates/tla/tests/operators.txt. Without options, our engine evaluates each, and
what differs from the value that stands there is printed. `--classpath` gives the jars of TLC and of the community's
modules, separated by colons: TLC evaluates each expression too, and must give the value that stands there; with --write
its values are written there instead. `--modules` names folders of modules, those of TLC and of a checkout of
github.com/tlaplus/CommunityModules: every operator that they define and do not keep to themselves must have a line.
Exits with 1 if anything differs or is missing.
"""
import argparse, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "crates/tla/tests/operators.txt"
DATA = {"data.json": '{"a": [1, 2.7, true], "b": "x"}\n', "data.ndjson": '{"a": 1}\n\n{"a": 2}\n', "data.csv": "1,2\n3,4\n",
        "data.txt": "hello"}
# Operators that only TLC's own generated modules use, and names of the language.
INTERNAL = re.compile(r"^_|^Nat$|^Int$|^Real$")


def lines():
    """The module, the expression and the value of each line, with the number of the line."""
    module = None
    for number, line in enumerate(LIST.read_text().splitlines()):
        if line.startswith("## "):
            module = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            expression, _, value = line.partition(" --> ")
            yield number, module, expression.strip(), value.strip()


def probe(folder, module, unit):
    text = f"---- MODULE Probe ----\nEXTENDS Integers, TLC, {module}\nProbed == 5\n{unit}\n====\n"
    (folder / "Probe.tla").write_text(text)
    (folder / "Probe.cfg").write_text("\n")


def tlc(classpath, folder, module, expression):
    """The value that TLC gives, or none if it gives none."""
    probe(folder, module, f'ASSUME PrintT(<<"value", ToString({expression})>>)')
    command = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classpath, "tlc2.TLC", "-metadir", "states",
               "Probe.tla"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    found = re.search(r'^<<\s*"value",\s+"(.*)"\s*>>$', done.stdout, re.M)
    if not found or "Error:" in done.stdout.split(found.group(0))[0]:
        return None, " ".join(re.sub(r"(?s).*?Error:", "", done.stdout).split())[:150]
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}.get(m.group(1), m.group(1)), found.group(1)), ""


def ours(binary, folder, module, unit):
    """The exit code of our engine, and what it printed."""
    probe(folder, module, unit)
    done = subprocess.run([binary, "check", "Probe.tla"], cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def differs(binary, folder, module, expression, value):
    """What is wrong with our value, if anything."""
    if value in ("any", "refused", "TLC fails"):
        code, text = ours(binary, folder, module, f"ASSUME PrintT({expression})")
        if value == "any":
            return None if code == 0 else text
        if code == 0:
            return f"has a value, though `{value}`"
        return None if value == "TLC fails" or "is refused" in text else text
    code, text = ours(binary, folder, module, f"ASSUME ({expression}) = ({value})")
    if code == 0:
        return None
    _, shown = ours(binary, folder, module, f"ASSUME PrintT({expression})")
    return f"TLC: {value}\n  ours: {shown.strip().splitlines()[0] if shown.strip() else text}"


def missing(folders):
    """The operators of modules that no line mentions."""
    known = {}
    for _, module, expression, _ in lines():
        known.setdefault(module, []).append(expression)
    for folder in folders:
        for file in sorted(folder.glob("*.tla")):
            if file.stem.startswith("_") or "Theorems" in file.stem:
                continue
            text = re.sub(r"(?s)\(\*.*?\*\)", "", re.sub(r"\\\*.*", "", file.read_text()))
            for match in re.finditer(r"(?m)^ ?(LOCAL +)?(\w+)(\([^=]*?\)|\[[^=]*?\])? *==", text):
                local, name = match.group(1), match.group(2)
                if not local and not INTERNAL.match(name):
                    if not any(re.search(rf"\b{name}\b", line) for line in known.get(file.stem, [])):
                        yield f"{file.stem}!{name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default="target/release/shakedown-tla")
    parser.add_argument("--classpath")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--modules", nargs="*", type=pathlib.Path, default=[])
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.ours).resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tla-operators-"))
    for name, text in DATA.items():
        (folder / name).write_text(text)
    all_lines = LIST.read_text().splitlines()
    wrong = count = 0
    try:
        for number, module, expression, value in lines():
            if args.only and module != args.only:
                continue
            count += 1
            if args.classpath and value not in ("any", "refused"):
                found, why = tlc(args.classpath, folder, module, expression)
                found = "TLC fails" if found is None else found
                if args.write:
                    if found == "TLC fails":
                        print(f"{module}: {expression}\n  TLC: {why}")
                    value = found
                    all_lines[number] = f"{expression} --> {value}".replace("\n", "\\n")
                elif found != value:
                    wrong += 1
                    print(f"{module}: {expression}\n  TLC gives {found}, the list has {value}")
            problem = differs(binary, folder, module, expression, value)
            if problem:
                wrong += 1
                print(f"{module}: {expression}\n  {problem}", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if args.write:
        LIST.write_text("\n".join(all_lines) + "\n")
    for name in missing(args.modules):
        wrong += 1
        print(f"no line for {name}")
    print(f"{count} expressions, {wrong} problems")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
