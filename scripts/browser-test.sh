#!/usr/bin/env bash
# Opens reports in a real browser: headless Chromium (Debian's package), driven by playwright-core.
#
#   scripts/browser-test.sh [PROGRAM] [OUT]
#
# PROGRAM is the shakedown binary (default: the debug build), OUT the folder for pages and screenshots (default: a
# temporary one). What is missing is installed: Chromium by apt-get (as root or by sudo), playwright-core and axe-core by npm
# into a temporary folder. Exit codes: 0 passed, 1 failed, 77 skipped because no browser can be had here; the reason is printed.
#
# playwright-core and not a Rust driver: it waits for what it asks for, sends real keys and pointer moves, sees every
# request and console message, and needs one npm package and no build time. axe-core looks for what keeps people from
# using a page. Both are exact to the versions below.
set -euo pipefail
cd "$(dirname "$0")/.."

PLAYWRIGHT=1.65.0
AXE=4.14.0
program=${1:-${CARGO_TARGET_DIR:-target}/debug/shakedown}
examples=$(dirname "$program")/examples
out=${2:-}

skip() { echo "SKIPPED: the browser test did not run: $1"; exit 77; }

[ -x "$program" ] || { echo "there is no program $program: cargo build first"; exit 1; }
for example in sample_report large_report; do
  [ -x "$examples/$example" ] || { echo "there is no $examples/$example: cargo build -p shakedown-report --examples first"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -n "$out" ] || out="$scratch/out"
mkdir -p "$out"

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome || true; }
if [ -z "$(browser)" ]; then
  as_root=""
  [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
  command -v apt-get >/dev/null || skip "no Chromium is installed, and there is no apt-get to install it"
  echo "installing chromium"
  { $as_root apt-get update -q && $as_root apt-get install -q -y --no-install-recommends chromium; } >"$scratch/apt.log" 2>&1 \
    || skip "no Chromium is installed, and apt-get could not install it: $(tail -n 1 "$scratch/apt.log")"
fi
[ -n "$(browser)" ] || skip "no Chromium is installed"
command -v node >/dev/null || skip "node is not installed"
command -v npm >/dev/null || skip "npm is not installed"
npm install --silent --no-audit --no-fund --prefix "$scratch/node" "playwright-core@$PLAYWRIGHT" "axe-core@$AXE" >"$scratch/npm.log" 2>&1 \
  || skip "npm could not install playwright-core and axe-core: $(tail -n 1 "$scratch/npm.log")"

# The failures are committed, so that what is looked at stays the same. A replay that diverges says where.
for failure in scripts/browser/*.json; do
  name=$(basename "$failure" .json)
  code=0
  "$program" replay "$failure" --html "$out/$name.html" >"$out/$name.txt" 2>&1 || code=$?
  [ "$code" -eq 1 ] || { echo "$failure does not fail as it says:"; cat "$out/$name.txt"; exit 1; }
  cp "$failure" "$out/$name.json"
done
# And the report of a campaign that was kept, with its curve and its finding.
code=0
"$program" run planted-raft --nodes 5 --set fault=quorum-third --executions 100 --measure state \
  --keep "$scratch/campaign" >"$out/campaign.txt" 2>&1 || code=$?
[ "$code" -eq 1 ] || { echo "the campaign finds nothing:"; cat "$out/campaign.txt"; exit 1; }
"$program" report "$scratch/campaign" --html "$out/campaign.html" >>"$out/campaign.txt" 2>&1 || [ "$?" -eq 1 ]
cp "$scratch"/campaign/failures/*.json "$out/campaign.json"
"$examples/sample_report" "$out/sample.html"
"$examples/large_report" "$out/large.html"

export BROWSER PLAYWRIGHT AXE
BROWSER=$(browser)
PLAYWRIGHT="$scratch/node/node_modules/playwright-core/index.mjs"
AXE="$scratch/node/node_modules/axe-core/axe.min.js"
node scripts/browser/report.mjs "$out"
node scripts/browser/diagrams.mjs "$out"
# The live page, while a campaign runs.
node scripts/browser/serve.mjs "$program" "$out"
