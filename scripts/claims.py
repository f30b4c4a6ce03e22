#!/usr/bin/env python3
"""Every sentence of the docs that contains a number, with the command behind it.

    scripts/claims.py                 checks that every such sentence has an entry; prints how many there are
    scripts/claims.py --list [PAGE]   prints them, each with its command and what that costs
    scripts/claims.py --run [PROGRAM] runs the commands that take under a minute, and compares what they print with the
                                      sentences; PROGRAM is `shakedown`, target/release/shakedown unless given, and
                                      `shakedown-NAME` is taken from the same folder

`scripts/claims.toml` has the entries. A `section` says where the numbers below a heading come from: they were measured by a
command, they are defined (limits, defaults, versions, arithmetic), or they are quoted from a paper. A `claim` is one sentence
(or row of a table) whose numbers a cheap command prints again: `finds` are patterns of what it prints, and each number that they
capture has to be one of the sentence, or that of the cell that `cells` names, counted from 1.
"""

import argparse
import re
import resource
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS_MAX = 60
KINDS = {"measured", "defined", "quoted"}


def pages():
    return [Path("README.md"), *sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))]


def units(path):
    """The sentences, list items and table rows of a page, each with its line and the heading above it."""
    heading, fenced, block, begin = "", False, [], 0

    def flush():
        nonlocal block
        text = " ".join(block)
        block = []
        # A sentence ends with a stop before a capital, a number or a sign; abbreviations are few.
        parts = re.split(r"(?<=[.!?])\s+(?=[A-ZÂ`*\[(0-9\"])", text) if text else []
        yield from ((begin, heading, part) for part in parts)

    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        if line.startswith("```"):
            yield from flush()
            fenced = not fenced
        elif fenced or line.startswith("    "):
            continue
        elif line.startswith("#"):
            yield from flush()
            heading = line.lstrip("# ").strip()
        elif line.startswith("|"):
            yield from flush()
            if not re.fullmatch(r"[|\s:-]*", line):
                yield number, heading, line
        elif not line.strip() or re.match(r"\s*([-*]|\d+\.)\s", line):
            yield from flush()
            begin = number
            block = [re.sub(r"^([-*]|\d+\.)\s", "", line.strip())] if line.strip() else []
        else:
            begin = begin if block else number
            block.append(line.strip())
    yield from flush()


def numbers(text):
    """The numbers of a sentence: not those in code, in addresses of links, in words and in list marks."""
    text = re.sub(r"`[^`]*`|\]\([^)]*\)|^\d+\.\s", " ", text)
    text = re.sub(r"(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))", "", text)
    return re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]*[a-zA-Z_])", text)


def entries():
    with open(ROOT / "scripts/claims.toml", "rb") as file:
        data = tomllib.load(file)
    sections = {}
    for section in data.get("section", []):
        assert section["kind"] in KINDS, section
        if section["kind"] == "measured":
            assert section.get("command") and section.get("cost"), f"a measured section needs command and cost: {section}"
        sections[section["page"], section.get("heading", "*")] = section
    return sections, data.get("claim", [])


def entry_of(path, heading, text, sections, claims):
    for claim in claims:
        if claim["page"] == str(path) and claim["sentence"] in text:
            return claim
    return sections.get((str(path), heading)) or sections.get((str(path), "*"))


def survey():
    """All sentences with numbers, each with its entry or nothing; and the entries that fit no sentence."""
    sections, claims = entries()
    found, used = [], set()
    for path in pages():
        for line, heading, text in units(path):
            if numbers(text):
                entry = entry_of(path, heading, text, sections, claims)
                found.append((path, line, heading, text, entry))
                used.add(id(entry))
    stale = [entry for entry in [*sections.values(), *claims] if id(entry) not in used]
    return found, stale


def check(found, stale):
    missing = [one for one in found if one[4] is None]
    for path, line, heading, text, _ in missing:
        print(f"{path}:{line}: no entry for this sentence, under \"{heading}\": {text[:160]}")
    for entry in stale:
        print(f"scripts/claims.toml: nothing fits this entry: {entry}")
    kinds = Counter("claim" if entry and "sentence" in entry else entry["kind"] for *_, entry in found if entry)
    print(
        f"{len(found)} sentences with numbers: {kinds['claim']} are run again, {kinds['measured']} are measured by a named command, "
        f"{kinds['defined']} are defined, {kinds['quoted']} are quoted; {len(missing)} have no entry"
    )
    return not missing and not stale


def show(found, page):
    for path, line, _, text, entry in found:
        if page and str(path) != page:
            continue
        print(f"{path}:{line}: {text}")
        if entry is None:
            print("    NO ENTRY")
        elif "sentence" in entry:
            print(f"    run again: {entry['command']}")
        elif entry["kind"] == "measured":
            print(f"    measured: {entry['command']} (costs {entry['cost']})")
        else:
            print(f"    {entry['kind']}: {entry.get('why', '')}")


def limit_processor_time():
    # Not the time of the clock: a machine may have other work.
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))


def run(program, page):
    """Runs what is cheap, once each, and looks for the numbers of the sentences in what it prints."""
    claims = [claim for claim in entries()[1] if page in ("", claim["page"])]
    outputs, bad = {}, 0
    for claim in claims:
        text = next(
            (text for path in pages() if str(path) == claim["page"] for _, _, text in units(path) if claim["sentence"] in text), None
        )
        if text is None:
            print(f"GONE   {claim['page']}: {claim['sentence']}")
            bad += 1
            continue
        command = re.sub("^shakedown(?=[ -])", lambda _: program, claim["command"])
        if command not in outputs:
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(
                    command, shell=True, cwd=folder, capture_output=True, text=True, preexec_fn=limit_processor_time
                )
                outputs[command] = done.stdout + done.stderr
                if done.returncode in (-signal.SIGXCPU, 128 + signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGKILL):
                    outputs[command] = ""
                    print(f"SLOW   {claim['command']}: more than {SECONDS_MAX} s of processor time")
        printed = re.sub(r"(?<=\d) (?=\d{3}(?!\d))", "", outputs[command])
        # In a table, the numbers of some cells; in a sentence, any of its numbers.
        cells = [numbers(cell) for cell in text.split("|")[1:]] if "cells" in claim else None
        for pattern in claim["finds"]:
            match = re.search(pattern, printed, re.S)
            groups = match.groups() if match else ()
            if cells is None:
                is_true = match is not None and set(groups) <= set(numbers(text))
            else:
                is_true = match is not None and [[group] for group in groups] == [cells[cell - 1] for cell in claim["cells"]]
            if not is_true:
                got = "nothing" if match is None else ", ".join(groups)
                print(f"WRONG  {claim['page']}: {text[:120]}\n       {claim['command']}\n       /{pattern}/ gave {got}")
                bad += 1
                break
        else:
            print(f"TRUE   {claim['page']}: {text[:120]}")
    print(f"{len(claims)} claims were run again by {len(outputs)} commands; {bad} are wrong")
    return bad == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", nargs="?", const="", metavar="PAGE")
    parser.add_argument("--run", nargs="?", const=str(ROOT / "target/release/shakedown"), metavar="PROGRAM")
    parser.add_argument("--page", default="", help="with --run: the claims of this page only")
    options = parser.parse_args()
    if options.run is not None:
        sys.exit(0 if run(str(Path(options.run).resolve()), options.page) else 1)
    found, stale = survey()
    if options.list is not None:
        show(found, options.list)
    else:
        sys.exit(0 if check(found, stale) else 1)


if __name__ == "__main__":
    main()
