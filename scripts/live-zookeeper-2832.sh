#!/usr/bin/env bash
# ZOOKEEPER-2832 by a schedule: three unmodified servers are killed, paused and restarted as the report says, and then must hold the same.
# From a fresh machine with Rust, Java 17 and Maven.
#
#   scripts/live-zookeeper-2832.sh [TIMES [RELEASE [SCENARIO]]]      20 times, 3.4.9, report
#
# The scenario `later` is the one of the paper's authors for releases after 3.4.9. Exit codes: 0 the same, 1 different, 2 an error.
set -euo pipefail
cd "$(dirname "$0")/.."
targets/zookeeper/setup.sh "${2:-3.4.9}"
# Without optimisation: nearly all the time is that of the servers.
cargo build --package shakedown-zookeeper
target/debug/shakedown-zookeeper-divergence "times=${1:-20}" "release=${2:-3.4.9}" "scenario=${3:-report}"
