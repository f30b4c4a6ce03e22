#!/usr/bin/env bash
# What each isolation level of PostgreSQL allows: load on a server of Debian's package, and check-history on what clients saw.
#
#     scripts/postgres.sh [SECONDS [OUT]]
#
# SECONDS is the time of load in all (default 600): three levels, two workloads each. OUT is the folder for histories and pages with drawings
# (default: a temporary one that goes away). The server runs under the user of the package (it refuses root), in a temporary folder, on a Unix socket
# only, and is stopped and removed at the end. Exit codes: 0 as documented, 1 otherwise, 77 skipped because there is no PostgreSQL here.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
out=${2:-}

skip() { echo "SKIPPED: no load on PostgreSQL: $1"; exit 77; }

folder=$(mktemp -d)
chmod 755 "$folder"
[ -n "$out" ] || out="$folder/out"
mkdir -p "$out"

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)
if [ -z "$bin" ]; then
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || skip "it is not installed, and cannot be installed without root and apt-get"
  # Without this the package would start a server of its own.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  { apt-get update -q && apt-get install -q -y --no-install-recommends postgresql; } >"$folder/apt.log" 2>&1 \
    || skip "apt-get could not install it: $(tail -n 1 "$folder/apt.log")"
  bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
fi

# The server's own user, if we are root.
as_owner() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
data="$folder/data"
mkdir "$data"
[ "$(id -u)" -ne 0 ] || chown postgres "$data"
stop() {
  as_owner "$bin/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap stop EXIT
(cd "$data" && as_owner "$bin/initdb" -D "$data/db" --auth=trust --username=postgres --encoding=UTF8 --no-sync) >"$folder/initdb.log"
data="$data/db"
# No network; nothing is kept, so nothing needs to reach the disk.
settings="-c listen_addresses= -c unix_socket_directories=$folder/data -c fsync=off -c deadlock_timeout=20ms -c max_connections=80"
(cd / && as_owner "$bin/pg_ctl" -D "$data" -w -l "$data/server.log" -o "$settings" start) >/dev/null

cargo build --quiet --release -p shakedown-postgres -p shakedown-txn-store
programs=${CARGO_TARGET_DIR:-target}/release
check() { "$programs/shakedown-txn-store" check-history "$@"; }

"$bin/postgres" --version
echo "| level | workload | committed | aborted | found | besides | weakest models that are ruled out |"
echo "|---|---|--:|--:|---|---|---|"
failed=0
for isolation in read-committed repeatable-read serializable; do
  for workload in list-append rw-register; do
    name="$isolation-$workload"
    totals=$("$programs/shakedown-postgres" "$folder/data" "$out/$name.jsonl" isolation="$isolation" workload="$workload" \
      seconds=$((seconds / 6)) transactions=400000 seed=24)
    keys=()
    [ "$workload" = list-append ] || keys=(--linearizable-keys)
    verdict=0
    check "$out/$name.jsonl" --model serializable "${keys[@]}" --json --html "$out/$name.html" >"$out/$name.json" || verdict=$?
    python3 - "$out/$name.json" "$isolation" "$workload" "$totals" <<'PYTHON'
import json, re, sys
report, isolation, workload, totals = json.load(open(sys.argv[1])), *sys.argv[2:]
committed, aborted, _ = re.findall(r"(\d+) \w+", totals)
words = lambda counts: ", ".join(f"`{kind}` {count}" for kind, count in counts.items()) or "nothing"
ruled_out = ", ".join(report["weakest_ruled_out"]) or "none"
print(f"| {isolation} | {workload} | {committed} | {aborted} | {words(report['counts'])} | {words(report['also'])} | {ruled_out} |", flush=True)
PYTHON
    # No view goes back under READ COMMITTED; write skew under REPEATABLE READ, which is snapshot isolation; nothing under SERIALIZABLE.
    case $name in
      read-committed-list-append) [ "$verdict" -eq 1 ] && check "$out/$name.jsonl" --model monotonic-view >/dev/null \
        || { echo "$name: not as documented"; failed=1; } ;;
      repeatable-read-list-append) [ "$verdict" -eq 1 ] && grep -q '"G2-item"' "$out/$name.json" \
        && check "$out/$name.jsonl" --model snapshot-isolation >/dev/null || { echo "$name: not as documented"; failed=1; } ;;
      serializable-*) [ "$verdict" -eq 0 ] || { echo "$name: not serializable, against what is documented: see $name.html in OUT"; failed=1; } ;;
    esac
  done
done
exit $failed
