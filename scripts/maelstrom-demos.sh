#!/usr/bin/env bash
# Runs the demo nodes of a checkout of Maelstrom under `shakedown maelstrom`, and prints the table of docs/results/maelstrom.md.
#
#   scripts/maelstrom-demos.sh FOLDER [PROGRAM]
#
# FOLDER is a checkout of Maelstrom; nothing of it is changed, what is compiled goes to a folder of its own. PROGRAM is `shakedown`,
# target/release/shakedown unless given. Languages that are not installed are left out. On Debian, the packages are python3, nodejs,
# golang-go, ruby, maven, cargo, and for Clojure clojure, libcheshire-clojure and libslingshot-clojure. EXECUTIONS is the number of executions
# of each node (20); none is given more than LIMIT seconds (180), and a row has the executions that were done in that time.
set -euo pipefail

if [ $# -lt 1 ] || [ ! -d "$1/demo" ]; then
  echo "usage: $0 FOLDER [PROGRAM]: FOLDER is a checkout of Maelstrom, with a folder demo" >&2
  exit 2
fi
demo=$(cd "$1/demo" && pwd)
program=${2:-$(cd "$(dirname "$0")/.." && pwd)/target/release/shakedown}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

executions=${EXECUTIONS:-20}
limit=${LIMIT:-180}

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
  timeout 600 "$program" maelstrom --bin "$bin" --workload "$workload" -n "$executions" --time "$limit" --shrink-time 60 --times 10 \
    --out "$out/failures" $options -- "$@" > "$out/printed" 2>&1 || code=$?
  local outcome
  case $code in
    0) outcome=pass ;;
    1) outcome="**fail**: $(grep -m1 'is violated' "$out/printed" | sed 's/^ *//'), $(sed -n 's/^ *3 nodes, \([^;]*\);.*/\1/p' "$out/printed" | head -n 1); $(sed -n 's/^ *repeats *//p' "$out/printed" | sed 's/ of this.*//')" ;;
    2) outcome="inconclusive: $(grep -m1 -i 'error\|UNKNOWN' "$out/printed" | sed "s#$demo#demo#g; s#^ *UNKNOWN: ##" | cut -c1-160 || true)" ;;
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

timers="--tick-ms 300 --steps 800 --requests 60"
crdt="--settle-ms 12000"

export PYTHONPATH=$demo/python
row Python echo.py echo "" python3 "$demo/python/echo.py"
row Python broadcast.py broadcast "" python3 "$demo/python/broadcast.py"
row Python broadcast.py broadcast "--nemesis partition" python3 "$demo/python/broadcast.py"
row Python raft.py lin-kv "$timers" python3 "$demo/python/raft.py"

row JavaScript echo.js echo "" node "$demo/js/echo.js"
row JavaScript gossip.js broadcast "--nemesis partition" node "$demo/js/gossip.js"
row JavaScript crdt_gset.js g-set "$crdt" node "$demo/js/crdt_gset.js"
row JavaScript crdt_pn_counter.js pn-counter "$crdt" node "$demo/js/crdt_pn_counter.js"
row JavaScript crdt_pn_counter.js g-counter "$crdt" node "$demo/js/crdt_pn_counter.js"
row JavaScript single_key_txn.js txn-list-append "" node "$demo/js/single_key_txn.js"
row JavaScript multi_key_txn.js txn-list-append "" node "$demo/js/multi_key_txn.js"

if command -v go > /dev/null; then
  (cd "$demo/go" && GOFLAGS=-mod=mod go build -o "$out/maelstrom-echo" ./cmd/maelstrom-echo)
  row Go maelstrom-echo echo "--nodes 3" "$out/maelstrom-echo"
fi

row Ruby echo.rb echo "" ruby "$demo/ruby/echo.rb"
row Ruby broadcast.rb broadcast "--nemesis partition" ruby "$demo/ruby/broadcast.rb"
row Ruby g_set.rb g-set "$crdt" ruby "$demo/ruby/g_set.rb"
row Ruby pn_counter.rb pn-counter "$crdt" ruby "$demo/ruby/pn_counter.rb"
row Ruby lin_kv_proxy.rb lin-kv "" ruby "$demo/ruby/lin_kv_proxy.rb"
row Ruby raft.rb lin-kv "$timers" ruby "$demo/ruby/raft.rb"
row Ruby datomic_list_append.rb txn-list-append "--steps 800" ruby "$demo/ruby/datomic_list_append.rb"

if command -v cargo > /dev/null; then
  (cd "$demo/rust" && cargo build --quiet --target-dir "$out/rust")
  for name in echo broadcast g_set lin_kv; do
    case $name in g_set) workload=g-set ;; lin_kv) workload=lin-kv ;; *) workload=$name ;; esac
    row Rust "$name.rs" "$workload" "$([ "$name" != g_set ] || echo "$crdt")" "$out/rust/debug/$name"
  done
fi

if command -v mvn > /dev/null; then
  cp -r "$demo/java" "$out/java"
  (cd "$out/java" && mvn --quiet --batch-mode clean compile assembly:single)
  for workload in echo broadcast g-set g-counter txn-list-append; do
    row Java "${workload/echo/server}" "$workload" "$([[ $workload != g-* ]] || echo "$crdt")" \
      java -Xmx256M -jar "$out/java/target/lab-1.0-SNAPSHOT-jar-with-dependencies.jar" "$workload"
  done
fi

# Written for Babashka, which adds packages while it starts; on the JVM they are there already.
if [ -f /usr/share/java/cheshire.jar ] && [ -f /usr/share/java/slingshot.jar ]; then
  cat > "$out/babashka.clj" << 'CLOJURE'
(create-ns 'babashka.deps)
(intern 'babashka.deps 'add-deps (fn [_]))
(alias 'deps 'babashka.deps)
(load-file (first *command-line-args*))
CLOJURE
  jars=$(printf '/usr/share/java/%s.jar:' clojure spec.alpha core.specs.alpha cheshire tigris jackson-core jackson-dataformat-{cbor,smile} slingshot)
  clojure() { row Clojure "$1" "$2" "$3" java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$jars" clojure.main "$out/babashka.clj" "$demo/clojure/$1"; }
  clojure flake_ids.clj unique-ids ""
  clojure kafka_single_node.clj kafka "--nodes 1"
  clojure kafka.clj kafka ""
  clojure gcounter.clj g-counter "$crdt"
  clojure txn_rw_register_hat.clj txn-rw-register "--consistency read-committed"
  clojure txn_rw_register_no_isolation.clj txn-rw-register "--consistency read-committed"
  clojure multi_key_txn.clj txn-list-append ""
fi
