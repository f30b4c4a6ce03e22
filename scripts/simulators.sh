#!/bin/sh
# The counter of targets/tokio/http-counter under turmoil and under Shakedown: the table of docs/tokio.md. Both are built with the
# profile `dev` (opt-level 1), and run on one core.
set -eu
cd "$(dirname "$0")/.."
simulations=${1:-300}
export CARGO_TARGET_DIR="$PWD/target"
cargo build --quiet --manifest-path targets/tokio/turmoil/Cargo.toml
cargo build --quiet --manifest-path targets/tokio/Cargo.toml --bins
for remember in at-once late; do
  echo "== turmoil, $remember"
  time target/debug/counter-under-turmoil "$remember" "$simulations"
done
for late in false true; do
  echo "== Shakedown, late=$late"
  time target/debug/shakedown-http-counter run http-counter --set late=$late --executions "$simulations" --jobs 1 --keep-going \
    --no-shrink || test "$late" = true
done
