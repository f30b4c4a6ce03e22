#!/usr/bin/env bash
# Makes the pictures of docs/pictures anew: pages that the command writes, in headless Chromium.
#
#   scripts/pictures.sh [PROGRAM]
#
# PROGRAM is the shakedown binary (default: the debug build). It needs Chromium and Node; playwright-core comes by npm into a temporary
# folder. A picture above 150 kB is a failure: the repository holds every version of it for good.
set -euo pipefail
cd "$(dirname "$0")/.."

PLAYWRIGHT=1.65.0
BYTES_MAX=150000
program=$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/shakedown}")
out=$PWD/docs/pictures
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { echo "Chromium is not installed"; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"
npm install --silent --no-audit --no-fund --prefix "$scratch/node" "playwright-core@$PLAYWRIGHT" >"$scratch/npm.log" 2>&1 \
  || { echo "npm could not install playwright-core: $(tail -n 1 "$scratch/npm.log")"; exit 1; }

# Commands that find a failure exit with 1.
quietly() { "$@" >>"$scratch/log.txt" 2>&1 || [ "$?" -eq 1 ] || { tail -n 5 "$scratch/log.txt"; exit 1; }; }

# Pages show the command as it was called.
mkdir "$scratch/bin"
ln -s "$program" "$scratch/bin/shakedown"
export PATH="$scratch/bin:$PATH"

cd "$scratch"
# Two leaders in one term, explained.
quietly shakedown run planted-raft --nodes 5 --set fault=quorum-third --shrink-budget 20000 --out found
quietly shakedown explain found/*.json --html finding.html
# Strategies compared on two planted faults.
quietly shakedown compare planted-raft --nodes 5 --each fault=quorum-third,stale-append --strategies random,pctcp,novelty \
  --trials 6 --executions 100 --measure state --keep compared
quietly shakedown report compared --html comparison.html

cd - >/dev/null
BROWSER="$browser" PLAYWRIGHT="$scratch/node/node_modules/playwright-core/index.mjs" \
  node scripts/browser/pictures.mjs "$scratch" "$out"
for picture in "$out"/*.png; do
  bytes=$(stat -c %s "$picture")
  echo "$picture: $bytes bytes"
  [ "$bytes" -le "$BYTES_MAX" ] || { echo "that is more than $BYTES_MAX"; exit 1; }
done
