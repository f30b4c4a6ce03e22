#!/usr/bin/env bash
# Prints the tables of docs/results/scenarios.md anew: the 34 scenarios of Netrix beside the authors' outcomes and their controls, how long
# an iteration takes (fails above 5 ms), what PCTCP does without filters, and filters and lines beside the authors'.
# Needs Rust only; takes less than a minute beside the build.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet --release -p shakedown-experiments --bin scenario_tables
echo
cargo run --quiet --release -p shakedown-experiments --bin scenario_sizes
