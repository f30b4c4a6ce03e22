#!/usr/bin/env python3
"""Counts the properties that a campaign of real servers found violated, each with the 95 % interval of its rate (Wilson).

    scripts/live-counts.py LABEL SUMMARY.json

What is found is named after all that was not answered in an execution, as in `availability:P1+P3`. An execution counts for each.
"""

import json
import math
import sys

Z = 1.959964


def interval(hits, of):
    """The 95 % interval of a rate, in percent."""
    rate, z2 = hits / of, Z * Z
    middle = (rate + z2 / (2 * of)) / (1 + z2 / of)
    half = Z * math.sqrt(rate * (1 - rate) / of + z2 / (4 * of * of)) / (1 + z2 / of)
    return max(0.0, middle - half) * 100, min(1.0, middle + half) * 100


def counts(summary):
    """How many executions violated each name."""
    found = {}
    for finding in summary["findings"]:
        names = finding["property"].partition(":")[2] or finding["property"]
        for name in names.split("+"):
            found[name] = found.get(name, 0) + finding["hits"]
    return found


def main():
    label, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        summary = json.load(file)
    of = summary["executions"]
    parts = [f"{label}: {summary['failed']} of {of} executions failed, {summary['unknown']} inconclusive"]
    for name, hits in sorted(counts(summary).items()):
        low, high = interval(hits, of)
        parts.append(f"{name} {hits} ({low:.0f} to {high:.0f} %)")
    print("; ".join(parts))
    print(f"  {summary['seconds']:.0f} s, the first in execution "
          f"{min((f['execution'] + 1 for f in summary['findings']), default='none')}")


if __name__ == "__main__":
    main()
