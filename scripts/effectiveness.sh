#!/usr/bin/env bash
# The bench of docs/effectiveness.md: every bug that runs in one process, with every strategy, ten seeds, 300 000 steps each. What is done is
# in the file FILE (target/effectiveness.jsonl unless given), so it may be stopped and begun again. The profile is release, which is faster;
# the steps are the same in every profile. Needs Rust only.
set -euo pipefail
cd "$(dirname "$0")/.."
file=${1:-target/effectiveness.jsonl}
cargo build --quiet --release --package shakedown-experiments --bin effectiveness
bench() { "${CARGO_TARGET_DIR:-target}/release/effectiveness" "$@"; }
singles=(random pctcp pos closure fuzz bonusmax novelty swarm return)
ablations=(portfolio:swarm=false portfolio:stalls=false portfolio:archive=false portfolio:share=false portfolio:shares=equal)
bench run "$file" portfolio "${singles[@]}"
bench run "$file" --half judging "${ablations[@]}"
for half in tuning judging; do
  echo "== the half for $half"
  bench report "$file" --half "$half" portfolio "${singles[@]}"
done
echo "== all bugs"
bench report "$file" portfolio "${singles[@]}"
echo "== ablations, the half for judging"
bench report "$file" --half judging portfolio "${ablations[@]}"
echo "== coverage of model states"
bench coverage --seeds 10 --limit 30000 return fuzz bonusmax novelty random
