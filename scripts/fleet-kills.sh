#!/usr/bin/env bash
# The long form of the test of fleets: until this many workers were killed, with other moments each time.
#
#   scripts/fleet-kills.sh [kills] [first seed]
#
# Each round also kills three coordinators twice and the server once, and compares three campaigns with those of one process.
# In the end, each of three servers is killed ten times.
set -euo pipefail
cd "$(dirname "$0")/.."

wanted=${1:-1000}
kills=0
seed=$((${2:-1} - 1))
scripts/nats-server.sh
while [ "$kills" -lt "$wanted" ]; do
  seed=$((seed + 1))
  output=$(SHAKEDOWN_REQUIRE_HOSTS=1 SHAKEDOWN_FLEET_SEED=$seed cargo test --quiet -p shakedown-cli --features fleet --test fleet -- \
    --nocapture whatever_dies 2>&1) || { echo "$output"; echo "seed $seed"; exit 1; }
  killed=$(sed -n 's/^\([0-9]*\) kills of workers.*/\1/p' <<<"$output")
  kills=$((kills + killed))
  echo "seed $seed: $killed workers killed, $kills in all"
done
SHAKEDOWN_REQUIRE_HOSTS=1 SHAKEDOWN_FLEET_ROUNDS=10 cargo test --quiet -p shakedown-cli --features fleet --test fleet -- three_servers
