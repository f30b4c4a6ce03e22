#!/usr/bin/env bash
# Paths of a specification of raft-java's elections, played on its servers: all paths of the model, then those with a crash up to the
# first difference, then those of a specification with a rule that raft-java does not have. From a fresh machine with Rust, Java 17
# and Maven.
#
#   scripts/live-raft-java-paths.sh
set -euo pipefail
cd "$(dirname "$0")/.."

targets/raft-java/setup.sh
mvn -q -B -f clients/java/agent/pom.xml package -DskipTests
cargo build --package shakedown-cli
conform() {
  target/debug/shakedown --target-file targets/raft-java/election.toml conform raft-java-election --jobs 1 \
    --out target/live-raft-java-paths "$@" || [ $? = 1 ]
}

conform
conform --config targets/raft-java/RaftJavaCrash.cfg --end Restart --shrink-budget 40
conform --spec targets/raft-java/LeadersWait.tla --config targets/raft-java/LeadersWait.cfg --shrink-budget 40
