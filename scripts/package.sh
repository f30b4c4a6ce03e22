#!/usr/bin/env bash
# Packages every library crate as it would be published, unpacks the packages and checks that they compile from nothing but each
# other: a file that lies outside its crate, or a dependency without a version, is found here.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}

exclude=()
names=()
for manifest in crates/*/Cargo.toml targets/*/Cargo.toml {examples,experiments,fuzz,specs,supply,tests,tests/cases,tests/toys}/Cargo.toml; do
  name=$(sed -n 's/^name = "\(.*\)"/\1/p' "$manifest" | head -1)
  # Old versions of a target are workspaces of their own.
  if grep -q '^\[workspace\]' "$manifest"; then
    grep -q '^publish = false' "$manifest" || { echo "$manifest: not published, but does not say so"; exit 1; }
  elif grep -q '^publish = false' "$manifest"; then
    exclude+=(--exclude "$name")
  else
    names+=("$name")
  fi
done

rm -rf "$target/package"
# The build of what is in the packages comes below, all at once and without code generation.
cargo package --workspace "${exclude[@]}" --no-verify --allow-dirty --quiet
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
{
  echo '[workspace]'
  echo 'resolver = "3"'
  echo 'members = ["*-[0-9]*"]'
  echo '[patch.crates-io]'
} >"$unpacked/Cargo.toml"
for name in "${names[@]}"; do
  tar -xzf "$target/package/$name-$version.crate" -C "$unpacked"
  printf '%s = { path = "%s" }\n' "$name" "$name-$version" >>"$unpacked/Cargo.toml"
done
cp Cargo.lock "$unpacked/Cargo.lock"
cargo check --manifest-path "$unpacked/Cargo.toml" --workspace --lib --bins --all-features --target-dir "$target" --quiet
echo "${#names[@]} packages compile from what is in them: ${names[*]}"
