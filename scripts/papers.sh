#!/usr/bin/env bash
# Prints every figure of ours in docs/papers.md anew, section by section: scripts/papers.sh [netrix|learning|modelfuzz|mocket|closure|etcd|cometbft …].
# All of it takes hours: learning, modelfuzz and etcd are the long ones. Needs Rust, and Go for etcd and cometbft, which are left out unless they are named.
set -euo pipefail
cd "$(dirname "$0")/.."
experiment() { cargo run --quiet --release -p shakedown-experiments --bin "$@"; }

netrix() { scripts/scenarios.sh; }
learning() {
  for target in raft rsl; do
    for table in coverage biased sequences curves; do
      printf '\n### %s of %s\n\n' "$table" "$target"
      experiment learning_tables -- "$table" "$target" 10000 10
    done
  done
  for table in coverage biased curves; do
    printf '\n### %s of planted-raft, with the predicates and the horizon of RedisRaft\n\n' "$table"
    experiment learning_tables -- "$table" planted-raft 10000 10 horizon=50
  done
  for target in rsl planted-raft; do experiment learning_tables -- bugs "$target" 10000 10; done
}
modelfuzz() {
  experiment fuzz_tables -- coverage
  experiment fuzz_tables -- micro
  experiment fuzz_tables -- planted
  scripts/raft-quorum-bug.sh
}
mocket() {
  experiment conform
  cargo run --quiet --release -- conform raft --model election
  for model in accept election leader-crash pair reconnect crash takeover; do
    cargo run --quiet --release -- conform omnipaxos --model "$model" --seed 0
  done
}
closure() { scripts/closure.sh; }
cometbft() { scripts/cometbft.sh; }
etcd() {
  scripts/etcd-raft.sh
  experiment scenario_tables -- etcd-raft
  experiment fuzz_tables -- coverage 10 20000 1 etcd-raft own:none own:model published:model published:trace
  experiment fuzz_tables -- coverage 10 20000 1 etcd-raft published:model reseed=200
  experiment learning_tables -- coverage etcd-raft 10000 10
}

sections=("$@")
[ "$#" -gt 0 ] || sections=(netrix mocket closure modelfuzz learning)
for section in "${sections[@]}"; do
  case $section in
    netrix | learning | modelfuzz | mocket | closure | etcd | cometbft) ;;
    *)
      printf 'error: there is no section `%s`\n' "$section" >&2
      exit 2
      ;;
  esac
  printf '\n## %s\n' "$section"
  "$section"
done
