#!/usr/bin/env bash
# What shrinking costs and comes to, for the findings of docs/findings.md: ten campaigns of seeds 1 to 10 per row, each shrunk on its own.
#
#   scripts/shrinking.sh [PROGRAMS [WORDS]]
#
# PROGRAMS is a folder with the built programs; without it they are built in release and taken from there. To compare two versions, run it
# once with each folder. WORDS choose rows by a part of their name. SEEDS="1 2 3" takes fewer seeds; ARGUMENTS are handed to `shrink`, for
# example `ARGUMENTS="--jobs 2"`. Programs that are missing are left out. Failures as they were found stay in target/shrinking, so that a second run
# shrinks the same ones. There is no limit of time, so lengths and executions are the same on every machine.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
programs=${1:-}
words=${2:-}
if [ -z "$programs" ]; then
  cargo build --quiet --release
  cargo build --quiet --release --package shakedown-openraft --package shakedown-tendermint
  for old in omnipaxos-0.2.2 omnipaxos-0.2.3 openraft-0.9.14 openraft-0.9.24; do
    cargo build --quiet --release --manifest-path "targets/$old/Cargo.toml"
  done
  programs="$CARGO_TARGET_DIR/release"
fi
kept="$CARGO_TARGET_DIR/shrinking"
mkdir -p "$kept"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The middle of the numbers of a column, in tenths where there are two in the middle.
median() { sort -n | awk '{ all[NR] = $1 } END { print NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2 }'; }

# Finds a failure, unless it is kept from an earlier run.
found() { # file, program, arguments …
  local file=$1
  shift
  if [ ! -e "$file" ]; then
    rm -rf "$out/found"
    "$@" --no-shrink --out "$out/found" --json >"$out/summary.json" || true
    local made=("$out"/found/*.json)
    [ -e "${made[0]}" ] || return 1
    mv "${made[0]}" "$file"
  fi
}

row() { # name, program, arguments …
  local name=$1 program="$programs/$2" rows="$out/rows"
  shift 2
  case "$name" in *$words*) ;; *) return ;; esac
  if [ ! -x "$program" ]; then
    echo "$name: left out, there is no $program"
    return
  fi
  : >"$rows"
  for seed in ${SEEDS:-1 2 3 4 5 6 7 8 9 10}; do
    local file="$kept/${name// /_}-$seed.json"
    if ! found "$file" "$program" run "$@" --seed "$seed"; then
      echo "$name, seed $seed: nothing found"
      continue
    fi
    local began
    began=$(date +%s%N)
    # shellcheck disable=SC2086 # the arguments are several words
    "$program" shrink "$file" --out "$out/shrunk.json" --time 86400 ${ARGUMENTS:-} >"$out/shrunk.txt" 2>"$out/errors.txt" ||
      { cat "$out/errors.txt" && continue; }
    local took=$((($(date +%s%N) - began) / 1000000))
    sed -n 's/^ *\([0-9]*\) steps before, \([0-9]*\) after, in \([0-9 ]*\) executions.*$/\1\t\2\t\3/p' "$out/shrunk.txt" |
      awk -F'\t' -v seed="$seed" -v took="$took" '{ gsub(" ", "", $3); print seed "\t" $1 "\t" $2 "\t" $3 "\t" took }' >>"$rows"
  done
  [ -s "$rows" ] || return 0
  printf '%s: %s steps before, %s after (%s), %s executions, %s ms\n' "$name" "$(cut -f2 "$rows" | median)" \
    "$(cut -f3 "$rows" | median)" "$(cut -f3 "$rows" | tr '\n' ' ' | sed 's/ $//')" "$(cut -f4 "$rows" | median)" "$(cut -f5 "$rows" | median)"
}

openraft="openraft --requests 40"
for strategy in random pctcp pos; do
  row "raft 0.7.0, $strategy" shakedown raft --executions 20000 --strategy $strategy
  row "omnipaxos 0.2.3, $strategy" shakedown-omnipaxos-0-2-3 omnipaxos-0.2.3 --executions 2000 --set oracles=decided \
    --strategy $strategy
  row "omnipaxos 0.2.2, $strategy" shakedown-omnipaxos-0-2-2 omnipaxos-0.2.2 --executions 2000 --set oracles=agreement \
    --strategy $strategy
done
row "omnipaxos 0.2.4" shakedown omnipaxos --executions 20000 --set trim=20 --set lead=20 --requests 16 --crashes 0
row "malachite, lock" shakedown-tendermint tendermint --executions 20000 --set value_first=false --set heights=1 --set oracles=locks
row "malachite, votes" shakedown-tendermint tendermint --executions 20000 --set value_first=false --set heights=1 --set oracles=equivocation
row "malachite, certificate" shakedown-tendermint tendermint --executions 20000 --set timers=anytime --set rebroadcast=false --set heights=1 \
  --set oracles=equivocation
for fault in term-not-persisted vote-not-persisted; do
  row "planted-raft, $fault" shakedown planted-raft --executions 20000 --set fault=$fault
done
row "openraft 0.9.25, never-stops" shakedown-openraft $openraft --steps 300 --crashes 0 --set buffered=true \
  --weights request=20,flush=10,cut=3 --executions 10000
row "openraft 0.9.24, 7 nodes" shakedown-openraft-0-9-24 $openraft --nodes 7 --steps 800 --crashes 0 --set snapshots=false \
  --set payload=1 --executions 3000
row "openraft 0.9.24, membership-in-log" shakedown-openraft-0-9-24 $openraft --steps 300 --set membership=true \
  --set oracles=membership-in-log --weights request=20,cut=3 --executions 3000
row "openraft 0.9.24, panic" shakedown-openraft-0-9-24 $openraft --steps 300 --set membership=true --set oracles=none \
  --weights request=20,cut=3 --executions 3000
row "openraft 0.9.14, leader-completeness" shakedown-openraft-0-9-14 openraft --set snapshots=false --executions 3000
