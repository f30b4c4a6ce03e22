#!/usr/bin/env bash
# The seeded bug of the ModelFuzz paper in the crate raft 0.7.0: a quorum is n/3 + 1 nodes. Builds
# `shakedown-raft-quorum-bug`, a program with the target `raft` on a changed copy of the crate, and compares
# strategies on five nodes (with three, n/3 + 1 is n/2 + 1).
#
#   scripts/raft-quorum-bug.sh [TRIALS [EXECUTIONS]]      20 trials of at most 300 executions by default
#
# The copy is made here, from the registry's source of the version that Cargo.lock names, and never committed.
# If the line is not where it is expected, nothing is built. Needs Rust only.
set -euo pipefail
cd "$(dirname "$0")/.."
trials=${1:-20}
executions=${2:-300}
root=$PWD
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"
folder=$CARGO_TARGET_DIR/raft-quorum-bug

manifest=$(cargo metadata --locked --format-version 1 | grep -o '"manifest_path":"[^"]*/raft-0\.7\.0/Cargo\.toml"' | cut -d'"' -f4)
rm -rf "$folder"
mkdir -p "$folder/src"
cp -R "$(dirname "$manifest")" "$folder/raft"
chmod -R u+w "$folder/raft"

file=$folder/raft/src/util.rs
right='(total / 2) + 1'
wrong='(total / 3) + 1'
if [ "$(grep -cF "$right" "$file")" != 1 ]; then
  printf 'error: %s does not have exactly one line `%s`\n' "$file" "$right" >&2
  exit 1
fi
sed "s|$right|$wrong|" "$file" >"$file.changed"
mv "$file.changed" "$file"

# Cargo allows one `raft` in a workspace, so the changed one has a workspace of its own. The versions of
# everything else are those of this repository.
cat >"$folder/Cargo.toml" <<EOF
[package]
name = "shakedown-raft-quorum-bug"
version = "0.1.0"
edition = "2024"
publish = false

[workspace]
resolver = "3"

[dependencies]
shakedown = { path = "$root/crates/shakedown", features = ["cli", "html", "store", "tla"] }
shakedown-raft = { path = "$root/targets/raft" }

[patch.crates-io]
raft = { path = "raft" }
EOF
cat >"$folder/src/main.rs" <<'EOF'
fn main() -> std::process::ExitCode {
    shakedown::main(vec![Box::new(shakedown_raft::target().version("raft 0.7.0 with a quorum of n/3 + 1"))])
}
EOF
cp Cargo.lock "$folder/Cargo.lock"
cargo build --quiet --release --manifest-path "$folder/Cargo.toml"

"$CARGO_TARGET_DIR/release/shakedown-raft-quorum-bug" compare raft --nodes 5 --set library_invariants=false \
  --trials "$trials" --executions "$executions" --jobs 2 \
  --strategies 'fuzz:none,mode=published,fuzz:trace,mode=published,fuzz:model,mode=published,random' || [ "$?" -eq 1 ]
