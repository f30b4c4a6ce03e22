#!/usr/bin/env bash
# A bug of ZooKeeper by the schedule of its report: unmodified servers are killed, paused and restarted, and then looked at. From a fresh
# machine with Rust, Java 17 and Maven.
#
#   scripts/live-zookeeper-report.sh REPORT [TIMES [RELEASE [SCENARIO]]]      20 times, in the release that the report is about
#
#   2832    servers hold different values for good (3.4.9)
#   1653    a server does not start any more after a crash (3.4.5); `snapshot` and `log` are its scenarios
#   1419    five servers elect no leader (3.4.3)
#
# Exit codes: 0 not seen, 1 seen, 2 an error, or no execution came to an end.
set -euo pipefail
cd "$(dirname "$0")/.."
report=${1:?which report: 2832, 1653 or 1419}
case $report in
  2832) release=3.4.9 ;;
  1653) release=3.4.5 ;;
  *) release=3.4.3 ;;
esac
release=${3:-$release}
targets/zookeeper/setup.sh "$release"
# Without optimisation: nearly all the time is that of the servers.
cargo build --package shakedown-zookeeper
target/debug/shakedown-zookeeper-schedules "report=$report" "times=${2:-20}" "release=$release" ${4:+"scenario=$4"}
