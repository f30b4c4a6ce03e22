#!/usr/bin/env bash
# Prints the figures of docs/cometbft.md anew: what comes of the fifteen Tendermint scenarios of Netrix on CometBFT, beside the thesis and beside
# the same scenario without a filter; the deviations that the paper reports; and campaigns by two strategies with both kinds of time-outs. Needs Rust and Go.
#
#   scripts/cometbft.sh [ITERATIONS] [EXECUTIONS]
set -euo pipefail
cd "$(dirname "$0")/.."
iterations=${1:-100}
executions=${2:-1000}
targets/cometbft/build.sh
cargo build --quiet -p shakedown-cometbft
program=${CARGO_TARGET_DIR:-target}/debug/shakedown-cometbft
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The successes of a scenario; further arguments leave out filters.
successes() {
  "$program" scenario run "$1" --target cometbft --iterations "$iterations" --out "$out" --json "${@:2}" 2>"$out/errors" |
    sed -n 's/^ *"successes": \([0-9]*\),*$/\1/p' | head -1
}

echo "scenario                 successes of $iterations   thesis   without filter: successes"
while read -r scenario thesis filter; do
  printf '%-22s   %9s            %6s   %s: %s\n' "$scenario" "$(successes "$scenario")" "$thesis" "$filter" \
    "$(successes "$scenario" --without "$filter")"
done <<'END'
ExpectUnlock 41 1
Relocked 53 3
LockedCommit 100 2
LaggingReplica 100 3
ForeverLaggingReplica 100 5
RoundSkip 90 3
BlockVotes 33 2
PrecommitInvariant 100 1
CommitAfterRoundSkip 36 3
DifferentDecisions 20 3
NilPrevotes 99 1
ProposalNilPrevote 56 1
NotNilDecide 100 2
GarbledMessage 30 1
HigherRound 37 1
END

# Prints the round of the first decision in each of ten iterations.
rounds() {
  local i
  for ((i = 0; i < 10; i++)); do
    "$program" scenario run "$1" --target cometbft --iterations 1 --first "$i" --explain --all-events --out "$out" "${@:2}" \
      2>"$out/errors" | sed -n 's/^ *n[0-9] commit .*round=\([0-9]*\).*/\1/p' | head -1 || true
  done | tr '\n' ' '
}
printf '\nrounds of the decision, five rounds behind: %s\n' "$(rounds ForeverLaggingReplica --without 5)"
printf 'rounds of the decision, ten rounds behind: %s\n' "$(rounds LaggingReplica)"

# Where a validator leaves out a round in ten iterations of LaggingReplica.
for ((i = 0; i < 10; i++)); do
  "$program" scenario run LaggingReplica --target cometbft --iterations 1 --first "$i" --explain --all-events --out "$out" \
    >"$out/explained" 2>"$out/errors" || true
  for node in 1 2 3 4; do
    sed -n "s/^ *n$node step height=1 round=\\([0-9]*\\) .*/\\1/p" "$out/explained" |
      awk -v at="iteration $i of LaggingReplica: n$node" 'NR > 1 && $1 > last + 1 { print at " goes from round " last " to " $1 } { last = $1 }'
  done
done

# How often something happens in round 1 of ten iterations of LockedCommit, where the proposer of round 1 stays behind.
of_round_1=0
for ((i = 0; i < 10; i++)); do
  "$program" scenario run LockedCommit --target cometbft --iterations 1 --first "$i" --explain --all-events --out "$out" \
    >"$out/explained" 2>"$out/errors" || true
  if grep -q 'sends Proposal .*(Proposal h1 r1' "$out/explained"; then
    echo "a proposal of round 1 was sent in iteration $i of LockedCommit"
  elif grep -qE '^ +n[0-9] prevote height=1 round=1 value=1000001' "$out/explained"; then
    of_round_1=$((of_round_1 + 1))
  fi
done
echo "prevotes for Z in round 1 of LockedCommit, without a proposal: in $of_round_1 of 10 iterations"

for strategy in random pctcp; do
  for timers in when-due anytime; do
    printf '\n%s executions by %s, time-outs %s\n' "$executions" "$strategy" "$timers"
    "$program" run cometbft --strategy "$strategy" --set timers="$timers" --executions "$executions" --out "$out" 2>"$out/errors" |
      grep -E '^  (ran|steps|seen|PASS|FAIL|found)|[a-z-]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$' || true
  done
done

printf '\n%s executions by pctcp without the log, agreement alone\n' "$((3 * executions))"
"$program" run cometbft --strategy pctcp --set timers=anytime --set heights=1 --set keep_log=false --set oracles=agreement \
  --executions "$((3 * executions))" --out "$out" 2>"$out/errors" | grep -E '^  (ran|PASS|FAIL)' || true
