#!/usr/bin/env bash
# Three unmodified etcd servers under random cuts, kills and pauses, at the grain of messages; then what the proxies cost. From a fresh
# machine with Rust and Go.
#
#   scripts/live-etcd.sh [SECONDS [SEED]]      1800 seconds and seed 1, unless something else is given
#
# The summary counts every fault that was done: crash, restart, cut, heal, drop, and fire, which is a pause or its end. Afterwards nothing
# may be left: no process, and no file. Exit codes: 0 pass, 1 a property was violated, 2 inconclusive or something was left behind.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-1800}
seed=${2:-1}
targets/etcd/build.sh
cargo build --release --package shakedown-etcd
export SHAKEDOWN_HOSTS="$PWD/target/hosts"

# Everything that servers write goes here, so it is known what is left.
TMPDIR=$(mktemp -d)
export TMPDIR
left() {
  # Each server has its folder among its arguments.
  local line count=0
  for line in /proc/[0-9]*/cmdline; do
    # A process may end while the list is read.
    if { tr '\0' ' ' <"$line"; } 2>/dev/null | grep -qF -- "--data-dir=$TMPDIR"; then count=$((count + 1)); fi
  done
  echo $((count + $(find "$TMPDIR" -mindepth 1 | wc -l)))
}

code=0
log=$(mktemp)
target/release/shakedown-etcd run etcd --executions 1000000 --time "$seconds" --seed "$seed" --set pauses=true --keep-going \
  --out target/live-etcd | tee "$log" || code=$?
# The limit of time ends the run before a million executions, which is no reason to leave the verdict open.
if [ "$code" = 2 ] && grep -q "no property was violated in them" "$log"; then code=0; fi
rm -f "$log"

# The reaper needs a moment after the program has ended.
for _ in $(seq 50); do
  [ "$(left)" = 0 ] && break
  sleep 0.2
done
echo "left behind: $(left) processes and files"
if [ "$(left)" != 0 ]; then exit 2; fi

if [ "$seconds" -ge 60 ]; then
  target/release/shakedown-etcd-load seconds=5 repeats=3
fi
rmdir "$TMPDIR" 2>/dev/null || true
exit "$code"
