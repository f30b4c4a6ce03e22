#!/usr/bin/env bash
# Three unmodified ZooKeeper servers under random cuts, kills and pauses, at the grain of messages. From a fresh machine with Rust, Java 17
# and Maven.
#
#   scripts/live-zookeeper.sh [SECONDS [SEED]]      1800 seconds and seed 1, unless something else is given
#
# The summary counts every fault that was done: crash, restart, cut, heal, drop, and fire, which is a pause or its end. Afterwards nothing
# may be left: no process, and no file. Exit codes: 0 pass, 1 a property was violated, 2 inconclusive or something was left behind.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-1800}
seed=${2:-1}
targets/zookeeper/setup.sh
# Without optimisation: nearly all the time is that of the servers, and tests have built most of it already.
cargo build --package shakedown-zookeeper

# Everything that servers write goes here, so it is known what is left.
TMPDIR=$(mktemp -d)
export TMPDIR
left() {
  # Each server has its configuration among its arguments.
  local line count=0
  for line in /proc/[0-9]*/cmdline; do
    if tr '\0' ' ' <"$line" 2>/dev/null | grep -qF -- "QuorumPeerMain $TMPDIR"; then count=$((count + 1)); fi
  done
  echo $((count + $(find "$TMPDIR" -mindepth 1 -not -path '*/hsperfdata_*' | wc -l)))
}

code=0
# A step is never that long, but three Java machines may take a minute to start where others work.
target/debug/shakedown-zookeeper run zookeeper --executions 1000000 --time "$seconds" --seed "$seed" --step-time 200 --jobs 1 \
  --set pauses=true --keep-going --no-shrink --out target/live-zookeeper || code=$?

# The reaper needs a moment after the program has ended.
for _ in $(seq 50); do
  [ "$(left)" = 0 ] && break
  sleep 0.2
done
echo "left behind: $(left) processes and files"
if [ "$(left)" != 0 ]; then exit 2; fi
rm -rf "$TMPDIR"
exit "$code"
