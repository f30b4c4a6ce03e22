#!/usr/bin/env bash
# The comparisons of docs/results/comparing.md: all strategies on raft 0.7.0 and on the bench of planted faults, 10 seeds each.
#
#   scripts/compare.sh [OUT [SHAKEDOWN]]      writes OUT/raft and OUT/planted-raft, each with its report.html
set -euo pipefail
out=${1:-shakedown-compare}
program=${2:-target/release/shakedown}
strategies=random,pctcp,pos,closure,fuzz:model,bonusmax,novelty
faults=quorum-third,vote-not-persisted,term-not-persisted,duplicate-vote-counted,commit-older-term,no-truncation,snapshot-over-newer,stale-append,noop-in-comparison
mkdir -p "$out"
"$program" compare raft --set library_invariants=false --strategies "$strategies" --trials 10 --executions 2000 \
  --measure state --measure model --jobs 2 --keep "$out/raft" | tee "$out/raft.txt" || [ "$?" -eq 1 ]
"$program" report "$out/raft" || [ "$?" -eq 1 ]
"$program" compare planted-raft --nodes 5 --each "fault=$faults" --strategies "$strategies" --trials 10 --executions 500 \
  --measure state --jobs 2 --keep "$out/planted-raft" | tee "$out/planted-raft.txt" || [ "$?" -eq 1 ]
"$program" report "$out/planted-raft" || [ "$?" -eq 1 ]
