#!/usr/bin/env bash
# Kills a campaign with SIGKILL at random moments, resumes it each time, and compares what it comes to with the same campaign
# uninterrupted: no finding, no coverage and no execution may be lost or counted twice.
#
#   scripts/kill.sh [KILLS [SHAKEDOWN [ARGUMENTS OF run …]]]      20 kills of a campaign on planted-raft unless told otherwise
set -euo pipefail
kills=${1:-20}
program=${2:-target/release/shakedown}
if [ "$#" -gt 2 ]; then
  run=("${@:3}")
else
  run=(planted-raft --nodes 5 --set fault=quorum-third --executions 60000 --keep-going --measure state --measure trace)
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Everything that the JSON summary says, but for times and for the folder's name.
essence() { grep -vE '"seconds|"file"' "$1"; }

"$program" run "${run[@]}" --keep "$folder/whole" --json >"$folder/whole.json" || [ "$?" -eq 1 ]
killed=0
for number in $(seq "$kills"); do
  if [ -s "$folder/killed/campaign.sqlite" ] && "$program" list "$folder/killed" | grep -q executions; then
    "$program" resume "$folder/killed" --json >/dev/null 2>&1 &
  else
    rm -rf "$folder/killed"
    "$program" run "${run[@]}" --keep "$folder/killed" --json >/dev/null 2>&1 &
  fi
  child=$!
  sleep "0.$((RANDOM % 900 + 100))"
  if ! kill -9 "$child" 2>/dev/null; then
    wait "$child" 2>/dev/null || true
    echo "the campaign was over before kill $number"
    break
  fi
  wait "$child" 2>/dev/null || true
  killed=$((killed + 1))
  echo "kill $number: $("$program" list "$folder/killed" | tail -1 | sed 's/^ *//')"
done
"$program" resume "$folder/killed" --json >"$folder/killed.json" || [ "$?" -eq 1 ]
if diff <(essence "$folder/whole.json") <(essence "$folder/killed.json"); then
  echo "after $killed kills the campaign came to the same as the uninterrupted one"
else
  echo "after $killed kills the campaign came to something else"
  exit 1
fi
