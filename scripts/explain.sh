#!/usr/bin/env bash
# Prints the table of docs/results/explain.md: what `explain` says of the ten planted faults and of the findings of docs/findings.md.
#
#   scripts/explain.sh [PROGRAMS [WORDS]]
#
# PROGRAMS is a folder with the built programs; without it they are built in release and taken from there. WORDS choose rows by a part of
# their name. Each failure is explained twice: as it was found, and as it was shrunk. For each it prints the steps, the steps of the slice, the step
# at which the chance rises most, whether the slice has the steps that the story of the bug names, and the seconds that passed and
# that both processors together spent. Programs that are
# missing are left out. Failures stay in target/explaining, so that a second run explains the same ones.
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
kept="$CARGO_TARGET_DIR/explaining"
mkdir -p "$kept"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
: >"$out/shares"

# Finds a failure and shrinks it, unless that is kept from an earlier run.
found() { # name of the files, program, arguments …
  local file=$1
  shift
  if [ ! -e "$file.json" ]; then
    rm -rf "$out/found"
    "$@" --no-shrink --out "$out/found" --jobs 2 --json >"$out/summary.json" || true
    local made=("$out"/found/*.json)
    [ -e "${made[0]}" ] || return 1
    mv "${made[0]}" "$file.json"
  fi
  if [ ! -e "$file.shrunk.json" ]; then
    "$1" shrink "$file.json" --out "$file.shrunk.json" --jobs 2 --quiet --time "${SHRINK_TIME:-20}" >"$out/shrunk.txt"
  fi
}

# Explains a file: a row of the table. The story is a list of KIND or KIND*COUNT: words that steps of the slice have.
explained() { # name, what, file, story, program
  local TIMEFORMAT='%R %U %S' # what Bash prints for `time`: the seconds that passed, and those of the processor
  if ! { time "$5" explain "$3" --json --jobs 2 >"$out/why.json" 2>"$out/errors.txt"; } 2>"$out/times"; then
    printf '| %s, %s | %s |\n' "$1" "$2" "$(head -1 "$out/errors.txt")"
    return
  fi
  local took
  took=$(awk '{ printf "%.1f %.1f", $1, $2 + $3 }' "$out/times")
  NAME="$1" WHAT="$2" STORY="$4" TOOK="$took" SHARES="$out/shares" python3 - "$out/why.json" <<'PYTHON'
import json, os, sys
why = json.load(open(sys.argv[1]))
steps = why["steps"]
needed = [step["step"] for step in steps if step["needed"]]
told = []
for part in os.environ["STORY"].split():
    word, _, count = part.partition("*")
    met = sum(1 for step in needed if word in step.split(" {")[0].split() or step.startswith(word))
    told.append("%s %s" % (word, "yes" if met >= int(count or 1) else "NO (%d)" % met))
jump = why["largest_jump"]
rise = "%d: %.0f → %.0f %%" % (jump["step"], 100 * jump["from"], 100 * jump["to"]) if jump else "none"
share = 100 * len(needed) / max(len(steps), 1)
passed, spent = map(float, os.environ["TOOK"].split())
measured = "" if why["continuation"]["is_everywhere"] else ", needed steps only"
print("| %s | %s | %d | %d (%.0f %%) | %s%s | %s | %.1f | %.1f |" % (
    os.environ["NAME"], os.environ["WHAT"], len(steps), len(needed), share, rise, measured, ", ".join(told), passed, spent))
open(os.environ["SHARES"], "a").write("%s\t%.1f\t%.1f\t%.1f\n" % (os.environ["WHAT"], share, passed, spent))
PYTHON
}

row() { # name, story, program, arguments …
  local name=$1 story=$2 program="$programs/$3"
  shift 3
  case "$name" in *$words*) ;; *) return ;; esac
  [ -x "$program" ] || { echo "$name: left out, there is no $program" && return; }
  local file="$kept/${name// /_}"
  found "$file" "$program" run "$@" || { echo "$name: nothing found" && return; }
  explained "$name" "as found" "$file.json" "$story" "$program"
  explained "$name" shrunk "$file.shrunk.json" "$story" "$program"
}

planted() { # fault, story, arguments …
  local fault=$1 story=$2
  shift 2
  row "planted $fault" "$story" shakedown planted-raft --set "fault=$fault" --executions 60000 "$@"
}

echo "| failure | schedule | steps | slice | the chance rises most at step | in the slice | seconds | of the processors |"
echo "|---|---|---|---|---|---|---|---|"
planted quorum-third "RequestVote RequestVoteResponse" --nodes 4
planted vote-not-persisted "crash restart RequestVote*2"
planted term-not-persisted "crash restart"
planted duplicate-vote-counted "duplicate RequestVoteResponse*2" --nodes 5
planted commit-older-term "Append*2 RequestVote" --steps 200 --requests 4 --crashes 0 --set compaction=false --set election_tick=2 \
  --weights tick=100,drop=20
planted no-truncation "Append RequestVote" --nodes 5
planted snapshot-over-newer "Snapshot"
planted stale-append "Append RequestVote"
planted noop-in-comparison "RequestVote RequestVoteResponse"
planted reconfiguration-unfixed "request RequestVote" --nodes 4 --crashes 0 --set membership=true --set compaction=false \
  --set election_tick=2 --weights tick=60,request=20,drop=20
row "raft 0.7.0: next index" "Append*2 AppendResponse*2" shakedown raft --executions 20000
row "raft 0.7.0: removed leader" "request" shakedown raft --set membership=true --set step_down_when_removed=false \
  --set library_invariants=false --steps 600 --requests 16 --executions 20000
row "raft 0.7.0: sole voter" "request" shakedown raft --set membership=true --set disk=buffered --set library_invariants=false \
  --steps 600 --requests 16 --executions 10000
row "omnipaxos 0.2.4 with trim" "request" shakedown omnipaxos --executions 20000 --set trim=20 --set lead=20 --requests 16 --crashes 0
row "omnipaxos 0.2.3: decided" "AcceptSync Prepare" shakedown-omnipaxos-0-2-3 omnipaxos-0.2.3 --executions 2000 --set oracles=decided
row "omnipaxos 0.2.2: agreement" "Promise Prepare" shakedown-omnipaxos-0-2-2 omnipaxos-0.2.2 --executions 2000 --set oracles=agreement
row "malachite: lost lock" "crash restart Prevote" shakedown-tendermint tendermint --executions 20000 --set value_first=false --set heights=1 \
  --set oracles=locks
row "malachite: two votes" "crash restart" shakedown-tendermint tendermint --executions 20000 --set value_first=false --set heights=1 \
  --set oracles=equivocation
row "malachite: lost certificate" "crash restart" shakedown-tendermint tendermint --executions 20000 --set timers=anytime \
  --set rebroadcast=false --set heights=1 --set oracles=equivocation
row "openraft 0.9.24: no quorum" "Append.reply" shakedown-openraft-0-9-24 openraft --nodes 7 --steps 800 --requests 40 --crashes 0 \
  --set snapshots=false --set payload=1 --executions 3000
row "openraft 0.9.14: leader lacks entries" "RequestVote.reply" shakedown-openraft-0-9-14 openraft --set snapshots=false --executions 3000
row "openraft 0.9.25: stops" "request flush" shakedown-openraft openraft --steps 300 --requests 40 --crashes 0 --set buffered=true \
  --weights request=20,flush=10,cut=3 --executions 10000
echo
for what in "as found" shrunk; do
  awk -F'\t' -v what="$what" '$1 == what { print $2 }' "$out/shares" | sort -n |
    awk -v what="$what" '{ all[NR] = $1 } END { if (NR) print "the slice, " what ", median: " (NR % 2 ? all[(NR + 1) / 2] : (all[NR / 2] + all[NR / 2 + 1]) / 2) " %, of " NR }'
done
awk -F'\t' '$4 > most { most = $4 } $3 > longest { longest = $3 } END { print "at most " longest " s passed, and " most " s of the processors" }' "$out/shares"
