#!/usr/bin/env bash
# Attacks the release binary through its command line: malformed files, damaged stores, hostile specifications, senseless
# options, kills and double runs. Prints a table of what was tried and how much of it ended badly.
#
#   scripts/attack.sh [OPTIONS OF attack …]      such as --inputs 3300 --kills 115 --double-runs 413478 --seed 2
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release
cargo build -p shakedown-fuzz --bin attack
exec target/debug/attack --program target/release/shakedown "$@"
