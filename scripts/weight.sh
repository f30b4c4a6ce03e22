#!/usr/bin/env bash
# What a dev-dependency on `shakedown` costs its user: the packages that it brings, and the CPU seconds of a first build of an empty
# crate's tests in the dev profile. Fails above the ceilings. Features to measure beyond the default set may be given:
#
#     scripts/weight.sh             # the default set, with ceilings
#     scripts/weight.sh cli,html    # with these features, without ceilings
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
features=${1:-}

packages_max=44
seconds_max=39

crate=$(mktemp -d)
trap 'rm -rf "$crate"' EXIT
mkdir "$crate/src"
touch "$crate/src/lib.rs"
quoted=$([ -z "$features" ] || printf '"%s"' "${features//,/\",\"}")
cat >"$crate/Cargo.toml" <<TOML
[package]
name = "empty"
version = "0.0.0"
edition = "2024"

[dev-dependencies]
shakedown = { path = "$root/crates/shakedown", features = [$quoted] }

[workspace]
TOML
# The versions that the workspace is tested with.
cp "$root/Cargo.lock" "$crate/Cargo.lock"
cd "$crate"
# The settings of a user's machine, whatever the settings of this one are. Cargo compiles nothing from a registry incrementally, but
# everything that is reached by a path: without this line the build would do work that no user's build does.
unset CARGO_PROFILE_DEV_DEBUG RUSTFLAGS
export CARGO_INCREMENTAL=0
export CARGO_TARGET_DIR="$crate/target"

cargo fetch --quiet
# The crate's own dev edge, and beyond it what is built for a user: no dev-dependencies of Shakedown's crates.
cargo tree --edges normal,build,dev --prefix none | awk '{ print $1 }' | sort -u | grep -vx empty >"$crate/packages"
packages=$(wc -l <"$crate/packages")

# `times` gives the CPU time of finished children on its second line, as "0m1.234s 0m0.567s".
children() { times >"$crate/times" && tail -1 "$crate/times"; }
children >"$crate/before"
cargo build --tests --quiet
children >"$crate/after"
seconds=$(cat "$crate/before" "$crate/after" | awk '
  { split($1, user, /[ms]/); split($2, system_, /[ms]/); sum[NR] = 60 * (user[1] + system_[1]) + user[2] + system_[2] }
  END { printf "%.1f", sum[2] - sum[1] }')

echo "a dev-dependency on shakedown (features: ${features:-none}): $packages packages, $seconds s of CPU"
if [ -z "$features" ]; then
  [ "$packages" -le "$packages_max" ] || { echo "at most $packages_max packages are allowed"; exit 1; }
  awk -v s="$seconds" -v max="$seconds_max" 'BEGIN { exit !(s <= max) }' || { echo "at most $seconds_max s are allowed"; exit 1; }
fi
