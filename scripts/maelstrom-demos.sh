#!/usr/bin/env bash
# Runs the demo nodes of a checkout of Maelstrom under `shakedown maelstrom`, and prints the table of docs/maelstrom.md.
#
#   scripts/maelstrom-demos.sh FOLDER [PROGRAM]
#
# FOLDER is a checkout of Maelstrom; nothing of it is copied or changed, what is compiled goes to a folder of its own. PROGRAM is
# `shakedown`, target/release/shakedown unless given. Languages that are not installed are left out: on Debian, the packages are
# python3, nodejs, golang-go and ruby.
set -euo pipefail

if [ $# -lt 1 ] || [ ! -d "$1/demo" ]; then
  echo "usage: $0 FOLDER [PROGRAM]: FOLDER is a checkout of Maelstrom, with a folder demo" >&2
  exit 2
fi
demo=$(cd "$1/demo" && pwd)
program=${2:-$(cd "$(dirname "$0")/.." && pwd)/target/release/shakedown}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Executions of each node.
executions=${EXECUTIONS:-20}

row() { # language, demo, workload, options, command…
  local language=$1 name=$2 workload=$3 options=$4
  shift 4
  if ! command -v "$1" > /dev/null; then
    echo "| $language | \`$name\` | $workload | | 0 | 0 | left out: no $1 |"
    return
  fi
  local code=0
  # The command is one word for --bin, and its arguments follow.
  local bin=$1
  shift
  # shellcheck disable=SC2086 # the options are words
  timeout 600 "$program" maelstrom --bin "$bin" --workload "$workload" -n "$executions" --shrink-time 30 --times 3 \
    --out "$out/failures" $options -- "$@" > "$out/printed" 2>&1 || code=$?
  local outcome
  case $code in
    0) outcome=pass ;;
    1) outcome="**fail**: $(grep -m1 'is violated' "$out/printed" | sed 's/^ *//')" ;;
    2) outcome="inconclusive: $(grep -m1 -i 'error\|UNKNOWN' "$out/printed" | cut -c1-120 || true)" ;;
    *) outcome="exit code $code" ;;
  esac
  local ran answered
  ran=$(sed -n 's/^ *ran *\([0-9]*\) execution.*/\1/p' "$out/printed")
  answered=$(sed -n 's/^ *requests *\([0-9 ]*\) sent · \([0-9 ]*\) answered.*/\2 of \1/p' "$out/printed")
  # Nothing passes that did nothing.
  [ -n "$ran" ] && [ "$ran" != 0 ] || outcome="${outcome/pass/nothing was executed}"
  echo "| $language | \`$name\` | $workload | ${options:+\`$options\`} | ${ran:-0} | ${answered:-0} | $outcome |"
}

echo "| language | demo | workload | options | executions | requests answered | outcome |"
echo "|---|---|---|---|---|---|---|"

export PYTHONPATH=$demo/python
row Python echo.py echo "" python3 "$demo/python/echo.py"
row Python broadcast.py broadcast "" python3 "$demo/python/broadcast.py"
row Python broadcast.py broadcast "--nemesis partition" python3 "$demo/python/broadcast.py"
row Python raft.py lin-kv "--tick-ms 50 --steps 400" python3 "$demo/python/raft.py"

row JavaScript echo.js echo "" node "$demo/js/echo.js"
row JavaScript gossip.js broadcast "--nemesis partition" node "$demo/js/gossip.js"
row JavaScript crdt_gset.js g-set "--settle-ms 12000" node "$demo/js/crdt_gset.js"
row JavaScript crdt_pn_counter.js pn-counter "--settle-ms 12000" node "$demo/js/crdt_pn_counter.js"
row JavaScript crdt_pn_counter.js g-counter "--settle-ms 12000" node "$demo/js/crdt_pn_counter.js"
row JavaScript single_key_txn.js txn-list-append "" node "$demo/js/single_key_txn.js"
row JavaScript multi_key_txn.js txn-list-append "" node "$demo/js/multi_key_txn.js"

if command -v go > /dev/null; then
  (cd "$demo/go" && GOFLAGS=-mod=mod go build -o "$out/maelstrom-echo" ./cmd/maelstrom-echo)
  row Go maelstrom-echo echo "--nodes 3" "$out/maelstrom-echo"
fi

row Ruby echo.rb echo "" ruby "$demo/ruby/echo.rb"
row Ruby broadcast.rb broadcast "--nemesis partition" ruby "$demo/ruby/broadcast.rb"
row Ruby g_set.rb g-set "--settle-ms 12000" ruby "$demo/ruby/g_set.rb"
row Ruby pn_counter.rb pn-counter "--settle-ms 12000" ruby "$demo/ruby/pn_counter.rb"
row Ruby lin_kv_proxy.rb lin-kv "" ruby "$demo/ruby/lin_kv_proxy.rb"
row Ruby raft.rb lin-kv "--tick-ms 50 --steps 400" ruby "$demo/ruby/raft.rb"
row Ruby datomic_list_append.rb txn-list-append "" ruby "$demo/ruby/datomic_list_append.rb"
