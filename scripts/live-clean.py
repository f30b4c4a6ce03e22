#!/usr/bin/env python3
"""Judges a short campaign of real servers: every property held that is not open, and there was something to hold.

    scripts/live-clean.py SUMMARY.json [OPEN …]

OPEN are properties that are known to be violated now and then. Exit codes: 0 clean, 1 another property was violated, 2 inconclusive.
"""

import json
import sys

# Steps without which a campaign shows nothing.
FAULTS = ("crash", "restart", "cut", "heal", "fire")


def main():
    path, *may_fail = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text:
        print("inconclusive: there is no summary")
        return 2
    summary = json.loads(text)
    steps, asked = summary["steps"], summary["requests"]
    print(f"{summary['target']} {summary['target_version']}: {summary['executions']} executions in {summary['seconds']:.0f} s, "
          f"{asked['answered']} of {asked['sent']} requests answered; " + ", ".join(f"{steps[kind]} {kind}" for kind in FAULTS))
    violated = {finding["property"] for finding in summary["findings"]}
    is_open = {name for name in violated if name.partition(":")[0] in may_fail}
    if is_open:
        print(f"open, and violated here: {', '.join(sorted(is_open))}")
    if violated - is_open:
        print(f"violated: {', '.join(sorted(violated - is_open))}")
        return 1
    held = {one["name"]: one["held"] for one in summary["properties"] if one["name"] not in may_fail}
    missing = [name for name, count in held.items() if count < summary["executions"]]
    missing += [kind for kind in FAULTS if not steps[kind]] + (["requests"] if not asked["answered"] else [])
    if missing or not summary["executions"]:
        print(f"inconclusive: {', '.join(missing) or 'no execution'} ({summary['unknown_reason'] or 'nothing to judge'})")
        return 2
    print(f"held: {', '.join(held)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
