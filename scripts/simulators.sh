#!/usr/bin/env bash
# The counter of targets/tokio/http-counter under turmoil, madsim and Shakedown: the table of docs/results/tokio.md. All are built with the
# profile `dev` (opt-level 1), and run on one core. `user` is the processor time of each.
set -euo pipefail
cd "$(dirname "$0")/.."
simulations=${1:-300}
export CARGO_TARGET_DIR="$PWD/target"
cargo build --quiet --manifest-path targets/tokio/turmoil/Cargo.toml
# The flag is one of the compiler, so everything is built again, in a folder of its own.
CARGO_TARGET_DIR="$PWD/target/madsim" RUSTFLAGS="--cfg madsim" \
  cargo build --quiet --manifest-path targets/tokio/madsim/Cargo.toml
cargo build --quiet --manifest-path targets/tokio/Cargo.toml --bins
for remember in at-once late; do
  echo "== turmoil, $remember"
  time target/debug/counter-under-turmoil "$remember" "$simulations"
  echo "== madsim, $remember"
  time target/madsim/debug/counter-under-madsim "$remember" "$simulations"
done
for late in false true; do
  echo "== Shakedown, late=$late"
  time target/debug/shakedown-http-counter run http-counter --set late=$late --executions "$simulations" --jobs 1 --keep-going \
    --no-shrink || test "$late" = true
done
