#!/usr/bin/env bash
# Builds the release binary twice, in two different folders, and compares the two, bit for bit. Writes the binary, its digest
# and its bill of materials (CycloneDX) to a folder.
#
#   scripts/release.sh [FOLDER]      target/dist by default
#
# The sources are those of the last commit. Paths of this machine do not get into the binary: they are replaced by names.
set -euo pipefail
cd "$(dirname "$0")/.."
dist=${1:-target/dist}
mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
commit=$(git rev-parse HEAD)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Folders with names of different lengths, so that a path that slips through moves everything behind it.
for folder in one another-folder; do
  mkdir -p "$work/$folder"
  git archive "$commit" | tar -x -C "$work/$folder"
  map=(--remap-path-prefix="$work/$folder=/shakedown" --remap-path-prefix="$cargo_home=/cargo"
    --remap-path-prefix="$(rustc --print sysroot)=/rust")
  # Flags are separated by a character that no path has. C code is compiled without its paths too.
  flags=$(printf '%s\x1f' "${map[@]}")
  (cd "$work/$folder" && env -u RUSTFLAGS CARGO_ENCODED_RUSTFLAGS="${flags%$'\x1f'}" CARGO_INCREMENTAL=0 \
    SOURCE_DATE_EPOCH="$(git -C "$OLDPWD" log -1 --format=%ct "$commit")" \
    CFLAGS="-ffile-prefix-map=$work/$folder=/shakedown -ffile-prefix-map=$cargo_home=/cargo" \
    cargo build --release --locked -p shakedown-cli --target-dir "$work/$folder/target")
  sha256sum "$work/$folder/target/release/shakedown" | awk -v folder="$folder" '{ print $1 "  built in " folder }'
done
if ! cmp "$work/one/target/release/shakedown" "$work/another-folder/target/release/shakedown"; then
  echo "the two builds differ"
  exit 1
fi
cp "$work/one/target/release/shakedown" "$dist/shakedown"
cargo run --quiet --locked -p shakedown-supply -- sbom >"$dist/shakedown.cdx.json"
(cd "$dist" && sha256sum shakedown shakedown.cdx.json | tee SHA256SUMS)
echo "two builds of $commit, one digest"
