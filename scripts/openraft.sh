#!/usr/bin/env bash
# The bugs of openraft, for the table of docs/findings.md: ten campaigns of seeds 1 to 10 per row and strategy, and the same campaigns on
# the release without the bug. Needs Rust only; takes about an hour on one core. Rows are printed as they are done.
#
#   scripts/openraft.sh [WORDS]
#
# WORDS choose rows by a part of their name. SEEDS="1 2 3" and STRATEGIES="random" take fewer. PROGRAMS is a folder with the built
# programs; without it they are built in release. A campaign ends after a number of executions, and so does shrinking (SHRINK, 3000
# unless given): there is no limit of time, so the numbers are the same on every machine.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
words=${1:-}
seeds=${SEEDS:-1 2 3 4 5 6 7 8 9 10}
if [ -z "${PROGRAMS:-}" ]; then
  cargo build --quiet --release --package shakedown-openraft
  for old in 0.9.13 0.9.14 0.9.24; do
    cargo build --quiet --release --manifest-path "targets/openraft-$old/Cargo.toml"
  done
  PROGRAMS="$CARGO_TARGET_DIR/release"
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

program() { # version
  case $1 in 0.9.25) echo "$PROGRAMS/shakedown-openraft" ;; *) echo "$PROGRAMS/shakedown-openraft-${1//./-}" ;; esac
}
# A number of a JSON file, the first one of that name.
field() { sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$1" | head -1; }
# The median and the range of a column.
spread() {
  cut -f"$1" "$out/rows" | sort -n | awk '{ all[NR] = $1 } END { if (!NR) { print "–"; exit }
    printf "%s (%s–%s)\n", NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2, all[1], all[NR] }'
}

# One campaign with one seed: adds a row of execution, steps found, steps shrunk, replays that are the same.
campaign() { # program, property, seed, arguments …
  local program=$1 property=$2 seed=$3
  shift 3
  rm -rf "$out/found"
  "$program" run openraft "$@" --seed "$seed" --no-shrink --out "$out/found" --json >"$out/summary.json" || true
  # The first one of this property; another property may have been violated before.
  local found=("$out"/found/openraft-"$property"*.json)
  if [ ! -e "${found[0]}" ]; then
    found=("$out"/found/*.json)
    [ ! -e "${found[0]}" ] || echo "    seed $seed: only $(basename "${found[0]}" .json) was found"
    return 0
  fi
  "$program" shrink "${found[0]}" --out "$out/shrunk.json" --time 86400 --executions "${SHRINK:-3000}" --quiet >"$out/shrunk.txt"
  "$program" replay "$out/shrunk.json" --times 100 --json >"$out/replay.json" || true
  printf '%s\t%s\t%s\t%s\n' "$(field "${found[0]}" execution)" "$(field "${found[0]}" steps)" \
    "$(sed -n 's/^ *[0-9]* steps before, \([0-9]*\) after.*$/\1/p' "$out/shrunk.txt")" "$(field "$out/replay.json" same)" >>"$out/rows"
}

row() { # name, property, version, executions, arguments …
  local name=$1 property=$2 version=$3 executions=$4
  shift 4
  case "$name" in *$words*) ;; *) return 0 ;; esac
  for strategy in ${STRATEGIES:-random pctcp pos}; do
    : >"$out/rows"
    for seed in $seeds; do
      campaign "$(program "$version")" "$property" "$seed" "$@" --strategy "$strategy" --executions "$executions"
    done
    local count
    count=$(wc -l <"$out/rows")
    echo "| openraft $name | $strategy | $count of $(wc -w <<<"$seeds") | $(spread 1) | $(spread 2) | $(spread 3) |" \
      "$(cut -f4 "$out/rows" | awk '{ all += $1 } END { print all + 0 }') of $((count * 100)) | $executions |"
  done
}

# The same campaign on a release without the bug.
clean() { # name, version, executions, arguments …
  local name=$1 version=$2 executions=$3 passed=0
  shift 3
  case "$name" in *$words*) ;; *) return 0 ;; esac
  for seed in $seeds; do
    if "$(program "$version")" run openraft "$@" --seed "$seed" --executions "$executions" --out "$out/clean" >"$out/clean.txt"; then
      passed=$((passed + 1))
    else
      sed -n "s/^ *\(.* is violated\).*$/    seed $seed: \1/p" "$out/clean.txt"
    fi
  done
  echo "| openraft $version, the campaign of: $name | random | passes with $passed of $(wc -w <<<"$seeds") seeds, $executions executions each |"
}

seven=(--nodes 7 --steps 800 --requests 40 --crashes 0 --set snapshots=false --set payload=1)
five=(--nodes 5 --steps 400 --requests 40 --crashes 0 --set snapshots=false --set payload=1 --set membership=true
  --set oracles=durable-by-quorum --weights request=12)
# Panics come first with some seeds, so these go on.
gone=(--steps 300 --requests 40 --set membership=true --set oracles=membership-in-log --weights request=20,cut=3 --keep-going)
panic=(--steps 300 --requests 40 --set membership=true --set oracles=none --weights request=20,cut=3)
votes=(--set snapshots=false)
stop=(--steps 300 --requests 40 --crashes 0 --set buffered=true --weights request=20,flush=10,cut=3)

row "0.9.14: leader-completeness" leader-completeness 0.9.14 1000 "${votes[@]}"
row "0.9.24, 7 nodes: durable-by-quorum" durable-by-quorum 0.9.24 1000 "${seven[@]}"
row "0.9.24, 5 nodes: durable-by-quorum" durable-by-quorum 0.9.24 3000 "${five[@]}"
row "0.9.24: membership-in-log" membership-in-log 0.9.24 3000 "${gone[@]}"
row "0.9.24: panic in replication" panic 0.9.24 3000 "${panic[@]}"
row "0.9.25, buffered disk: never-stops" never-stops 0.9.25 20000 "${stop[@]}"
clean "0.9.14: leader-completeness" 0.9.13 1000 "${votes[@]}"
clean "0.9.24, 7 nodes: durable-by-quorum" 0.9.25 1000 "${seven[@]}"
clean "0.9.24, 5 nodes: durable-by-quorum" 0.9.25 3000 "${five[@]}"
clean "0.9.24: membership-in-log" 0.9.25 3000 "${gone[@]}"
clean "0.9.24: panic in replication" 0.9.25 3000 "${panic[@]}"
