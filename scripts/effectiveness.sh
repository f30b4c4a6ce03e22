#!/usr/bin/env bash
# The bench of docs/effectiveness.md: every bug, with every strategy, ten seeds, 300 000 steps each. What is done is in the file FILE
# (target/effectiveness.jsonl unless given), so it may be stopped and begun again. The profile is release, which is faster; the steps are
# the same in every profile. Needs Rust, and Go for etcd's raft.
set -euo pipefail
cd "$(dirname "$0")/.."
file=${1:-target/effectiveness.jsonl}
# Some bugs are in programs of their own, which lie beside the bench.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"
cargo build --quiet --release --package shakedown-experiments --bin effectiveness
targets/etcd-raft/build.sh
cargo build --quiet --release --package shakedown-openraft --package shakedown-etcd-raft
for old in omnipaxos-0.2.2 omnipaxos-0.2.3 openraft-0.9.14 openraft-0.9.24; do
  cargo build --quiet --release --manifest-path "targets/$old/Cargo.toml"
done
cargo build --quiet --release --manifest-path targets/tokio/Cargo.toml --package shakedown-http-counter --package shakedown-tonic-deposits
bench() { "$CARGO_TARGET_DIR/release/effectiveness" "$@"; }
singles=(random pctcp pos closure fuzz bonusmax novelty swarm return)
ablations=(portfolio:swarm=false portfolio:stalls=false portfolio:archive=false portfolio:share=false portfolio:shares=equal)
bench run "$file" portfolio "${singles[@]}"
# The ablations: what was for judging before more bugs came.
first="planted,raft next,raft removed,raft sole,trim,malachite,figure1,lwt,own-choice,appmaster,rsl,txn"
later="unchecked-view,zookeeper-2832,omnipaxos 0.,openraft,http-counter,tonic,etcd-raft"
bench run "$file" --half judging --bugs "$first" "${ablations[@]}"
for half in tuning judging; do
  echo "== the half for $half"
  bench report "$file" --half "$half" portfolio "${singles[@]}"
done
echo "== all bugs"
bench report "$file" portfolio "${singles[@]}"
echo "== the bugs that came later"
bench report "$file" --bugs "$later" portfolio "${singles[@]}"
echo "== ablations, the half for judging"
bench report "$file" --half judging --bugs "$first" portfolio "${ablations[@]}"
echo "== coverage of model states"
bench coverage --seeds 10 --limit 30000 return fuzz bonusmax novelty random
