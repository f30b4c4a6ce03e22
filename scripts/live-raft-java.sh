#!/usr/bin/env bash
# Issue 19 of raft-java: what clients were told is done has to be in the state machine of a leader after all servers were killed and started
# again. First by its schedule, which is done as often as said, then sought by communication closure at level c with kills. From a fresh
# machine with Rust, Java 17, Maven and Python.
#
#   scripts/live-raft-java.sh [TIMES [EXECUTIONS [ISOLATIONS]]]      20 times; 20 executions with 7 isolations
set -euo pipefail
cd "$(dirname "$0")/.."

times=${1:-20}
executions=${2:-20}
isolations=${3:-7}
targets/raft-java/setup.sh
cargo build --package shakedown-cli
shakedown() { target/debug/shakedown --target-file targets/raft-java/shakedown.toml "$@"; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

shakedown replay targets/raft-java/issue-19.json --times "$times" >"$out/replay" || [ $? = 1 ]
tail -1 "$out/replay"
[ "$executions" -gt 0 ] || exit 0
shakedown run raft-java --executions "$executions" --seed 7000 --jobs 1 \
  --strategy "closure:rounds=8,period=2,isolations=$isolations,level=c,by=crash" --set grain=link --set tick_ms=500 --set request_ms=10000 \
  --set settle_ms=20000 --step-time 200 --keep-going --no-shrink --json --out target/live-raft-java >"$out/summary.json" || [ $? = 1 ]
python3 scripts/live-counts.py "raft-java 1.8.0, d = $isolations" "$out/summary.json"
