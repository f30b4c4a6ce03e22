#!/usr/bin/env bash
# Prints the table of known bugs in docs/etcd-raft.md anew: what is found in releases of etcd's raft, by ten campaigns of seeds 1 to 10,
# each failure shrunk and replayed a hundred times; and the same campaigns on the release that mends it. Needs Rust and Go.
#
#   scripts/etcd-raft.sh [SEEDS]
set -euo pipefail
cd "$(dirname "$0")/.."
seeds=${1:-10}
targets/etcd-raft/build.sh
cargo build --quiet --release -p shakedown-etcd-raft
program=${CARGO_TARGET_DIR:-target}/release/shakedown-etcd-raft
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# A number from the JSON summary, the first one of that name.
field() { sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$out/summary.json" | head -1; }

campaigns() { # title, target, arguments …
  local title=$1 target=$2
  shift 2
  printf '\n%s, on %s\n' "$title" "$target"
  echo "  seed  execution  steps found  steps shrunk  replays the same  property"
  for ((seed = 1; seed <= seeds; seed++)); do
    "$program" run "$target" "$@" --seed "$seed" --out "$out" --json >"$out/summary.json" 2>"$out/errors" || true
    file=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$out/summary.json" | head -1)
    if [ -z "$file" ]; then
      printf '  %4s  nothing in %s executions\n' "$seed" "$(field executions)"
      continue
    fi
    "$program" replay "$file" --times 100 --json >"$out/replay.json" 2>"$out/errors" || true
    printf '  %4s  %9s  %11s  %12s  %9s of 100  %s\n' "$seed" "$(field execution)" "$(field steps_found)" "$(field steps_shrunk)" \
      "$(sed -n 's/^ *"same": \([0-9]*\),*$/\1/p' "$out/replay.json")" \
      "$(sed -n 's/^ *"property": "\(.*\)",*$/\1/p' "$out/summary.json" | head -1)"
  done
}

for release in etcd-raft-3.5 etcd-raft-3.6; do
  campaigns "issue 148: a peer's next index falls back" "$release" --executions 2000
done
for release in etcd-raft-3.5 etcd-raft-3.6 etcd-raft; do
  printf '\nissue 20418: a replaced leader answers a read, on %s\n' "$release"
  "$program" scenario run StaleRead --target "$release" --out "$out" 2>"$out/errors" | grep -E '^  (outcome|violated|verdict)' || true
done
for file in "$out"/etcd-raft-3.6-linearizability-*.json; do
  "$program" shrink "$file" --time 60 2>"$out/errors" | grep 'steps before'
  "$program" replay "$file" --times 100 2>"$out/errors" | tail -n 1 || true
done
campaigns "issue 108: need non-empty snapshot" etcd-raft --set save_hard_state=false --set invariants=false --executions 20000
campaigns "planted: a quorum is n/3+1, 5 nodes" etcd-raft-quorum-bug --nodes 5 --executions 2000
campaigns "without it" etcd-raft --nodes 5 --executions 2000
