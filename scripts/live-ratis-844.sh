#!/usr/bin/env bash
# RATIS-844 by a schedule: the leader is cut off, a client asks it, the others elect a leader, and the client has to ask that one instead of
# waiting for ever. From a fresh machine with Rust, Java 17, Maven and Python.
#
#   scripts/live-ratis-844.sh [TIMES [VERSION]]      20 times, 0.5.0
#
# P3 is violated if the client waits for more than 6 s while another server leads.
set -euo pipefail
cd "$(dirname "$0")/.."

times=${1:-20}
version=${2:-0.5.0}
targets/ratis/setup.sh "$version"
cargo build --package shakedown-cli
out=$(mktemp)
trap 'rm -f "$out"' EXIT
RATIS_VERSION=$version target/debug/shakedown --target-file targets/ratis/netty-kills.toml replay targets/ratis/ratis-844.json \
  --times "$times" --step-time 200 >"$out" || [ $? = 1 ]
echo "Apache Ratis $version with Netty: $(tail -1 "$out")"
