#!/usr/bin/env bash
# Prints the first table of docs/findings.md anew: what is found in each target, by ten campaigns of seeds 1 to 10. That of openraft
# is printed by scripts/openraft.sh.
# Needs Rust only; takes about ten minutes. On a machine that is busy, shrinking may reach its limit of time (60 s): the row says so, and its
# steps are not those of the table.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cargo build --quiet --release -p shakedown-cli -p shakedown-tendermint
for old in omnipaxos-0.2.2 omnipaxos-0.2.3; do
  cargo build --quiet --release --manifest-path "targets/$old/Cargo.toml"
done
bin="$CARGO_TARGET_DIR/release"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# A number from the JSON summary, the first one of that name.
field() { sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$out/summary.json" | head -1; }

campaigns() { # title, strategy, program, arguments …
  local title=$1 strategy=$2 program=$3
  shift 3
  echo
  echo "$title, strategy $strategy"
  echo "  seed  execution  steps found  steps shrunk  nodes  replays the same  property"
  for seed in 1 2 3 4 5 6 7 8 9 10; do
    "$program" run "$@" --strategy "$strategy" --seed "$seed" --out "$out" --json >"$out/summary.json" || true
    if grep -q '"verdict": "pass"' "$out/summary.json"; then
      printf '  %4s  nothing in %s executions\n' "$seed" "$(field executions)"
      continue
    fi
    file=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$out/summary.json" | head -1)
    "$program" replay "$file" --times 100 --json >"$out/replay.json" || true
    same=$(sed -n 's/^ *"same": \([0-9]*\),*$/\1/p' "$out/replay.json")
    property=$(sed -n 's/^ *"property": "\(.*\)",*$/\1/p' "$out/summary.json" | head -1)
    cut=$(sed -n 's/^ *"shrink_cut_short": "\(.*\)",*$/  (shrinking was cut short by \1)/p' "$out/summary.json" | head -1)
    printf '  %4s  %9s  %11s  %12s  %5s  %10s of 100  %s\n' "$seed" "$(field execution)" "$(field steps_found)" \
      "$(field steps_shrunk)" \
      "$(sed -n 's/^ *"nodes": \([0-9]*\),*$/\1/p' "$file" | head -1)" "$same" "$property$cut"
  done
}

for strategy in random pctcp pos; do
  campaigns "raft 0.7.0: progress-next-above-match" $strategy "$bin/shakedown" raft --executions 20000
  campaigns "omnipaxos 0.2.3: decided-never-goes-back" $strategy "$bin/shakedown-omnipaxos-0-2-3" \
    omnipaxos-0.2.3 --executions 2000 --set oracles=decided
  campaigns "omnipaxos 0.2.2: agreement" $strategy "$bin/shakedown-omnipaxos-0-2-2" \
    omnipaxos-0.2.2 --executions 2000 --set oracles=agreement
done
campaigns "omnipaxos 0.2.4 with trim: agreement" random "$bin/shakedown" \
  omnipaxos --executions 20000 --set trim=20 --set lead=20 --requests 16 --crashes 0
campaigns "malachite 0.5.0, values after proposals: a lock is lost in a crash" random "$bin/shakedown-tendermint" \
  tendermint --executions 20000 --set value_first=false --set heights=1 --set oracles=locks
campaigns "malachite 0.5.0, values after proposals: a correct validator votes twice" random "$bin/shakedown-tendermint" \
  tendermint --executions 20000 --set value_first=false --set heights=1 --set oracles=equivocation
campaigns "malachite 0.5.0, a certificate is forgotten: a correct validator votes twice" random "$bin/shakedown-tendermint" \
  tendermint --executions 20000 --set timers=anytime --set rebroadcast=false --set heights=1 --set oracles=equivocation
echo
echo "omnipaxos 0.2.4, the campaign in which 0.2.3 and 0.2.2 fail, 20 000 executions"
for seed in 1 2 3 4 5 6 7 8 9 10; do
  "$bin/shakedown" run omnipaxos --executions 20000 --seed "$seed" --out "$out" --json >"$out/summary.json" || true
  printf '  seed %s: %s\n' "$seed" "$(sed -n 's/^ *"verdict": "\(.*\)",*$/\1/p' "$out/summary.json")"
done
