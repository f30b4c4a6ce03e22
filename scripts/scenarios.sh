#!/usr/bin/env bash
# Prints the tables of docs/scenarios.md anew: the 34 scenarios of Netrix beside the authors' outcomes and their controls, how long
# an iteration takes (fails above 5 ms), what PCTCP does without filters, and filters and lines beside the authors'.
# Needs Rust only; takes less than a minute beside the build.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo run --quiet --release -p shakedown-experiments --bin scenario_tables
# The test holds filters and lines to the authors', and has the table in its source.
cargo test --quiet -p shakedown-cli --test scenario_sizes >&2
echo
sed -n '/^scenario  *filters/,/^mean/p' <(sed 's/^ *//' crates/cli/tests/scenario_sizes.rs)
