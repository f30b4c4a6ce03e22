#!/usr/bin/env bash
# Kills `run`, `resume`, `compare` and `merge` with SIGKILL at random moments, under four strategies, repeats or resumes
# the killed command in the same folder, and compares the end with that of the same command uninterrupted: no finding, no
# coverage and no execution may be lost or counted twice. Nothing is deleted between kills. A tenth of the kills are in the
# first 50 ms, when a store is being made; the others are spread over the time that the command takes.
#
#   scripts/kill.sh [KILLS [SHAKEDOWN [SEED]]]      100 kills of target/release/shakedown unless given
#
# Prints a line for every end that was compared, and a table. Exits with 1 if an end differs or a folder is unreadable.
set -euo pipefail
kills_wanted=${1:-100}
program=${2:-target/release/shakedown}
RANDOM=${3:-$$}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# How many kills a campaign gets before it may end.
KILLS_EACH=6
EARLY_MS=50

target=(planted-raft --nodes 5 --set fault=quorum-third --measure state --measure trace)
# Shrinking is left out: it has a limit of time, so its results depend on how busy the machine is.
run=(run "${target[@]}" --keep-going --no-shrink)
strategies=(random pctcp fuzz:model bonusmax)
# How many executions a run has: so many that it takes about RUN_MS here.
RUN_MS=600
PROBE=100
declare -A executions

# The command of a case that begins it, as words in the array `begin`. A case is `run:STRATEGY`, `compare:STRATEGY` (against
# random) or `merge:STRATEGY`.
begin_of() {
  local kind=${1%%:*} strategy=${1#*:} into=$2
  local share=$((${executions[$strategy]} / 8))
  case $kind in
    run) begin=("${run[@]}" --strategy "$strategy" --executions "${executions[$strategy]}" --keep "$into" --json) ;;
    compare) begin=(compare "${target[@]}" --strategies "random,$strategy" --trials 2 --executions "$share" --keep "$into" --json) ;;
    merge) begin=(merge "$folder/parts/$strategy"-{1,2,3} --into "$into") ;;
  esac
}

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# Runs a command to its end: a failure that was found is no error.
to_end() { "$program" "$@" || [ "$?" -eq 1 ]; }

# Everything in the JSON of an end but times and names of folders.
essence() { grep -vE '"seconds|"file"' "$1"; }

# Whether a folder holds a campaign. Anything but a campaign and a folder that counts as new is an error.
holds_campaign() {
  local listed
  listed=$("$program" list "$1" 2>&1 || true)
  case $listed in
    *' executions, '*) return 0 ;;
    *'holds no campaign yet'* | *'no campaign was found'* | *'does not exist'* | *'is no folder'* | *'No such file'*) return 1 ;;
    *) echo "kill.sh: after a kill, $1 is unreadable: $listed" >&2; exit 1 ;;
  esac
}

# What is there when nothing is killed, and how long it takes.
declare -A takes
cases=()
for strategy in "${strategies[@]}"; do
  since=$(milliseconds)
  to_end "${run[@]}" --strategy "$strategy" --executions "$PROBE" --keep "$folder/probe/$strategy" --json >/dev/null
  took=$(($(milliseconds) - since + 1))
  executions[$strategy]=$((PROBE * RUN_MS / took + 24))
  for part in 1 2 3; do
    to_end "${run[@]}" --strategy "$strategy" --executions "${executions[$strategy]}" \
      --partition "$part/3" --keep "$folder/parts/$strategy-$part" --json >/dev/null
  done
  for kind in run compare merge; do
    case="$kind:$strategy"
    # Runs are the longest, and are resumed: they come twice.
    cases+=("$case")
    [ "$kind" = run ] && cases+=("$case")
    begin_of "$case" "$folder/whole/$case"
    since=$(milliseconds)
    to_end "${begin[@]}" >/dev/null
    takes[$case]=$(($(milliseconds) - since + 1))
    to_end resume "$folder/whole/$case" --json >"$folder/$case.json"
    echo "$case takes ${takes[$case]} ms, ${executions[$strategy]} executions"
  done
done

declare -A killed=([run]=0 [resume]=0 [compare]=0 [merge]=0) early=([run]=0 [resume]=0 [compare]=0 [merge]=0)
kills=0
ends=0
differ=0
born_again=0
number=0
while [ "$kills" -lt "$kills_wanted" ]; do
  case=${cases[$((number % ${#cases[@]}))]}
  number=$((number + 1))
  into="$folder/killed/$number"
  begin_of "$case" "$into"
  for _ in $(seq "$KILLS_EACH"); do
    if holds_campaign "$into"; then
      [ "${case%%:*}" = merge ] && break
      command=(resume "$into" --json)
    else
      [ -e "$into" ] && born_again=$((born_again + 1))
      command=("${begin[@]}")
    fi
    if [ $((RANDOM % 10)) -eq 0 ]; then
      after=$((RANDOM % EARLY_MS))
    else
      # What was done before a kill is done, so half of the time reaches every place of the campaign.
      after=$(((RANDOM * 32768 + RANDOM) % (takes[$case] / 2 + 1)))
    fi
    "$program" "${command[@]}" >/dev/null 2>"$folder/errors" &
    child=$!
    sleep "$(printf '%d.%03d' $((after / 1000)) $((after % 1000)))"
    if ! kill -9 "$child" 2>/dev/null; then
      code=0
      wait "$child" 2>/dev/null || code=$?
      [ "$code" -le 1 ] || { echo "kill.sh: ${command[*]} exits with $code: $(cat "$folder/errors")" >&2; exit 1; }
      break
    fi
    wait "$child" 2>/dev/null || true
    kills=$((kills + 1))
    killed[${command[0]}]=$((killed[${command[0]}] + 1))
    [ "$after" -lt "$EARLY_MS" ] && early[${command[0]}]=$((early[${command[0]}] + 1))
    [ "$kills" -lt "$kills_wanted" ] || break
  done
  holds_campaign "$into" || to_end "${begin[@]}" >/dev/null
  to_end resume "$into" --json >"$folder/end.json"
  ends=$((ends + 1))
  left=$(find "$into" -name '*.tmp' | wc -l)
  if ! diff <(essence "$folder/$case.json") <(essence "$folder/end.json") >"$folder/difference" || [ "$left" -gt 0 ]; then
    differ=$((differ + 1))
    echo "$case comes to another end after kills, or leaves $left drafts:"
    cat "$folder/difference"
  fi
  echo "end $ends: $case, $kills kills so far, $differ ends differ"
done

echo
echo "| command | kills | in the first $EARLY_MS ms |"
echo "|---|--:|--:|"
for command in run resume compare merge; do
  echo "| $command | ${killed[$command]} | ${early[$command]} |"
done
all_early=$((early[run] + early[resume] + early[compare] + early[merge]))
echo "| **all** | $kills | $all_early |"
echo
echo "$kills kills, $all_early in the first $EARLY_MS ms, $born_again before the store was there; $ends ends compared over ${#strategies[@]} strategies, $differ differ"
[ "$differ" -eq 0 ]
