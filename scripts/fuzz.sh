#!/usr/bin/env bash
# Fuzzes every reader for hours, guided by the code that inputs reach.
#
#   scripts/fuzz.sh [MINUTES [SEED [READER …]]]      60 minutes each, seed 1 and all readers by default
#
# The readers are built with the compiler's coverage counters (stable Rust), into a folder of their own: an input that
# reaches a block of code, or reaches it more often, than any before it becomes a seed. Inputs with a bad end are saved in
# target/fuzz-guided; `cargo run -p shakedown-fuzz -- READER --input FILE` reads one again.
set -euo pipefail
cd "$(dirname "$0")/.."
minutes=${1:-60}
seed=${2:-1}
readers=("${@:3}")
export INSTRUMENT="shakedown_campaign shakedown_cluster shakedown_explore shakedown_store shakedown_tla shakedown_conform
  shakedown_report shakedown"
RUSTC_WRAPPER=$PWD/scripts/instrument.sh cargo run --release --target-dir target/instrumented -p shakedown-fuzz --bin fuzz -- \
  ${readers[@]+"${readers[@]}"} --seconds $((minutes * 60)) --seed "$seed" --jobs "$(nproc)" --out target/fuzz-guided
