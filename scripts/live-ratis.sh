#!/usr/bin/env bash
# Three servers of Apache Ratis under communication closure, as in section 7.2 of the paper: eight rounds, period two, four requests; the
# messages of isolated servers are lost one by one while their connections stay. From a fresh machine with Rust, Java 17, Maven and Python.
#
#   scripts/live-ratis.sh [EXECUTIONS [VERSION [RPC [ISOLATIONS …]]]]      20 executions, 0.5.0, netty, 1 to 7 isolations
#
# P1: a server leads after healing. P2: all servers have applied the same entries, with all that were acknowledged. P3: every request is
# answered. An execution may violate several. Behind each count stands the 95 % interval of its rate (Wilson).
set -euo pipefail
cd "$(dirname "$0")/.."

executions=${1:-20}
version=${2:-0.5.0}
rpc=${3:-netty}
shift $(($# < 3 ? $# : 3))
isolations=("$@")
[ ${#isolations[@]} -gt 0 ] || isolations=(1 2 3 4 5 6 7)
targets/ratis/setup.sh "$version"
cargo build --package shakedown-cli
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

echo "Apache Ratis $version with $rpc, $executions executions a row"
for d in "${isolations[@]}"; do
  # Servers that share cores with others need time: a round is three ticks, and an election takes up to a second.
  RATIS_VERSION=$version target/debug/shakedown --target-file "targets/ratis/$rpc.toml" run "ratis-$rpc" --executions "$executions" \
    --seed "$((d * 1000))" --jobs 1 --strategy "closure:rounds=8,period=2,isolations=$d" --set grain=link --set cuts=lossy \
    --set tick_ms=400 --set request_ms=60000 --set settle_ms=20000 --step-time 200 --keep-going --no-shrink --json \
    --out "target/live-ratis/$version-$rpc-$d" >"$out/summary.json" || [ $? = 1 ]
  python3 scripts/live-counts.py "d = $d" "$out/summary.json"
done
