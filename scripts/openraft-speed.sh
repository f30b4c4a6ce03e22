#!/usr/bin/env bash
# How many deliveries openraft gets in a second of processor time, in whole campaigns of random walks on one job: the table of
# docs/results/costs.md. `user` time is measured, so other work on the machine hardly counts.
#
#   scripts/openraft-speed.sh [PROGRAM]
#
# PROGRAM is that of 0.9.24, built in release, unless another is given. `cargo bench -p shakedown-openraft` measures the executions alone.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
program=${1:-}
if [ -z "$program" ]; then
  cargo build --quiet --release --manifest-path targets/openraft-0.9.24/Cargo.toml
  program="$CARGO_TARGET_DIR/release/shakedown-openraft-0-9-24"
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
TIMEFORMAT=%U
for size in "3 12 request=4" "3 100 request=25" "5 12 request=4"; do
  read -r nodes requests weights <<<"$size"
  for oracles in none all; do
    user=$({ time "$program" run openraft --nodes "$nodes" --requests "$requests" --weights "$weights" --crashes 0 --jobs 1 \
      --set oracles=$oracles --executions 1000 --keep-going --no-shrink --out "$out" >"$out/summary.txt" 2>/dev/null; } 2>&1)
    deliveries=$(grep -o 'deliver [0-9 ]*' "$out/summary.txt" | head -1 | tr -dc 0-9)
    awk -v n="$nodes" -v r="$requests" -v o="$oracles" -v d="$deliveries" -v u="$user" \
      'BEGIN { printf "%d nodes, %d requests, oracles %s: %d deliveries, %.0f a second, %.1f µs each\n", n, r, o, d, d / u, u / d * 1e6 }'
  done
done
