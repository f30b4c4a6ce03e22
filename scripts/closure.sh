#!/usr/bin/env bash
# Prints the tables of docs/results/closure.md anew: the planted bugs by period and isolations, and what closure finds in real
# targets beside random walk and PCTCP with the same number of deliveries. Needs Rust only; takes about five minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cargo build --quiet --release
for old in 0.2.2 0.2.3; do
  cargo build --quiet --release --manifest-path "targets/omnipaxos-$old/Cargo.toml"
done
bin="$CARGO_TARGET_DIR/release"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cargo run --quiet --release -p shakedown-experiments --bin closure_tables
cargo run --quiet --release -p shakedown-experiments --bin closure_ratis
cargo run --quiet --release -p shakedown-experiments --bin closure_zookeeper

# A number from the JSON summary, the first one of that name.
field() { sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$out/summary.json" | head -1; }
campaign() { # program, target, strategy, executions, arguments …
  local program=$1 target=$2 strategy=$3 executions=$4
  shift 4
  "$bin/$program" run "$target" --strategy "$strategy" --executions "$executions" --jobs 2 --keep-going --no-shrink \
    --json --out "$out" "$@" >"$out/summary.json" || true
}
row() { printf '| %s | %s | %s | %s |\n' "$1" "$(field executions)" "$(field deliver)" "$(field failed)"; }

compare() { # title, program, target, closure's parameters, arguments …
  local title=$1 program=$2 target=$3 parameters=$4
  shift 4
  printf '\n### %s\n\n| strategy | executions | deliveries | violations |\n|---|---:|---:|---:|\n' "$title"
  campaign "$program" "$target" "closure:$parameters" 10000 --steps 4000 "$@"
  local budget
  budget=$(field deliver)
  row "closure:$parameters"
  for level in level=b level=c level=c,by=crash; do
    if "$bin/$program" run "$target" --strategy "closure:$parameters,$level" --executions 1 --out "$out" \
      "$@" >/dev/null 2>"$out/errors" || [ "$?" -eq 1 ]; then
      campaign "$program" "$target" "closure:$parameters,$level" 10000 --steps 4000 "$@"
      row "closure:$parameters,$level"
    fi
  done
  for strategy in random pctcp; do
    # As many executions as make the same number of deliveries.
    campaign "$program" "$target" "$strategy" 1000 "$@"
    local executions
    executions=$((budget * 1000 / $(field deliver)))
    campaign "$program" "$target" "$strategy" "$executions" "$@"
    row "$strategy"
  done
}

compare "omnipaxos 0.2.2, decided log goes back or disagrees" shakedown-omnipaxos-0-2-2 omnipaxos-0.2.2 \
  rounds=40,period=5,isolations=6
compare "omnipaxos 0.2.3, decided log goes back" shakedown-omnipaxos-0-2-3 omnipaxos-0.2.3 \
  rounds=40,period=5,isolations=6
compare "raft 0.7.0, next index not above the matched one" shakedown raft rounds=60,period=16,isolations=6
compare "omnipaxos 0.2.4 with trim and lead, all properties" shakedown omnipaxos rounds=40,period=5,isolations=6 \
  --set trim=20 --set lead=20
