#!/usr/bin/env python3
"""Wraps the prose of docs and of comments in Rust at 110 columns.

    scripts/wrap.py            wraps paragraphs and list items that have a longer line
    scripts/wrap.py --check    changes nothing; prints the files that it would change, and exits with 1 if there are any

Tables, headings, code, quotes and pages that a test makes stay as they are. A code span is not broken unless it is long. A paragraph
whose lines are all short enough is left alone, so that a change of one word is a change of one line.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 110
# A longer code span may be broken.
SPAN_MAX = 60
# Made by a test from the help of the command.
MADE = {"docs/commands.md"}

FENCE = re.compile(r"\s*(```|~~~)")
# Headings, tables, quotes, HTML, pictures.
KEPT = re.compile(r"\s*(#|\||>|<|!\[)")
# Indented code, and the targets of links.
KEPT_FIRST = re.compile(r"    |\t|\[[^\]]+\]:")
ITEM = re.compile(r"\s*([-*+] |\d+[.)] )")
# A line that began with this would be something else than prose.
MARK = re.compile(r"[-+*#>|=]$|\d+[.)]$|```|~~~")
COMMENT = re.compile(r"(\s*)(//[/!]?)( |$)")


def words_of(lines):
    """The words of a paragraph; a short code span is one word."""
    words, span = [], None
    for word in (word for line in lines for word in line.split()):
        odd = word.count("`") % 2 == 1
        if span is None and odd:
            span = [word]
        elif span is None:
            words.append(word)
        else:
            span.append(word)
            if odd:
                whole = " ".join(span)
                words += [whole] if len(whole) <= SPAN_MAX else span
                span = None
    return words + (span or [])


def filled(words, first, rest, columns):
    """Lines of these words; the first begins with `first`, the others with `rest`."""
    lines, line, count = [], first, 0
    for word in words:
        if count and len(line) + 1 + len(word) > columns:
            last = line.rfind(" ")
            if not MARK.match(word):
                lines.append(line)
                line, count = rest + word, 1
                continue
            if last > len(rest) and count > 1:
                # The word before goes along, so that the line does not begin with a mark.
                lines.append(line[:last])
                line, count = rest + line[last + 1 :] + " " + word, 2
                continue
        line += (" " if count else "") + word
        count += 1
    return [*lines, line]


def paragraph(lines, at):
    """The end of the paragraph or list item that begins here, and the indents of its first and its other lines."""
    match = re.match(r"(\s*)([-*+] +|\d+[.)] +)?", lines[at])
    first = match.group(0)
    rest = " " * len(first)
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if not line.strip() or FENCE.match(line) or KEPT.match(line) or ITEM.match(line):
            break
        if len(line) - len(line.lstrip(" ")) != len(rest):
            break
        end += 1
    return end, first, rest


def wrapped(lines, columns):
    out, at, fenced = [], 0, False
    while at < len(lines):
        line = lines[at]
        if FENCE.match(line):
            fenced = not fenced
        if fenced or not line.strip() or FENCE.match(line) or KEPT.match(line) or KEPT_FIRST.match(line):
            out.append(line)
            at += 1
            continue
        end, first, rest = paragraph(lines, at)
        block = lines[at:end]
        breaks = any(line.endswith(("  ", "\\")) for line in block)
        if breaks or max(map(len, block)) <= columns:
            out += block
        else:
            out += filled(words_of([block[0][len(first) :], *block[1:]]), first, rest, columns)
        at = end
    return out


def wrapped_comments(lines):
    out, at = [], 0
    while at < len(lines):
        match = COMMENT.match(lines[at])
        if not match:
            out.append(lines[at])
            at += 1
            continue
        mark = match.group(1) + match.group(2)
        end = at
        while end < len(lines) and re.match(re.escape(mark) + r"( |$)", lines[end]):
            end += 1
        text = [line[len(mark) + 1 :] for line in lines[at:end]]
        out += [f"{mark} {line}" if line else mark for line in wrapped(text, COLUMNS - len(mark) - 1)]
        at = end
    return out


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    listed = subprocess.run(["git", "ls-files", "*.md", "*.rs"], cwd=ROOT, capture_output=True, text=True, check=True)
    changed = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if name in MADE or not path.is_file():
            continue
        lines = path.read_text().split("\n")
        better = wrapped_comments(lines) if path.suffix == ".rs" else wrapped(lines, COLUMNS)
        if better != lines:
            changed.append(name)
            if not check:
                path.write_text("\n".join(better))
    if check and changed:
        sys.exit("prose beyond {} columns, which scripts/wrap.py wraps:\n  {}".format(COLUMNS, "\n  ".join(changed)))


main()
