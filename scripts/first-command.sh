#!/usr/bin/env bash
# What the README's first command costs: CPU seconds of a build from nothing with the profile `release`, the same with `dist`, and how many
# executions a second both programs run, in turns. Takes ten minutes or more; meant for a machine that does nothing else.
#
#     scripts/first-command.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
executions=20000

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
children() { times >"$folder/times" && tail -1 "$folder/times"; }
seconds_between() {
  cat "$1" "$2" | awk '
    { split($1, user, /[ms]/); split($2, kernel, /[ms]/); sum[NR] = 60 * (user[1] + kernel[1]) + user[2] + kernel[2] }
    END { printf "%.1f", sum[2] - sum[1] }'
}

for profile in release dist; do
  children >"$folder/before"
  cargo build --quiet --profile "$profile" --target-dir "$folder/$profile"
  children >"$folder/after"
  echo "$profile: built with $(seconds_between "$folder/before" "$folder/after") s of CPU"
done

for target in "raft --set library_invariants=false" "figure1 --strategy closure" "planted-raft --strategy pctcp"; do
  for ((round = 1; round <= rounds; round++)); do
    for profile in release dist; do
      children >"$folder/before"
      # Some targets find something; how long it takes is all that matters here.
      # shellcheck disable=SC2086
      "$folder/$profile/$profile/shakedown" run $target --executions "$executions" --keep-going --no-shrink --json \
        --out "$folder/out" >/dev/null || true
      children >"$folder/after"
      awk -v what="$target" -v profile="$profile" -v n="$executions" -v s="$(seconds_between "$folder/before" "$folder/after")" \
        'BEGIN { printf "%s, %s: %.0f executions per second of CPU\n", what, profile, n / s }'
    done
  done
done
