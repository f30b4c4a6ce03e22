#!/usr/bin/env bash
# Paths of a specification of raft-java's elections, played on its servers: all paths with one election timer, some with two, those
# with a crash up to the first difference, and those of a specification with a rule that raft-java does not have. Issue 57 is replayed.
# From a fresh machine with Rust, Java 17 and Maven.
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
for seed in 1 2 3 4 5 6; do
  conform --config targets/raft-java/RaftJavaTwice.cfg --paths 5 --seed "$seed" --keep-going --no-shrink
done
conform --config targets/raft-java/RaftJavaCrash.cfg --end Restart --shrink-budget 40
target/debug/shakedown --target-file targets/raft-java/election.toml replay targets/raft-java/issue-57.json --times 5 || [ $? = 1 ]
conform --spec targets/raft-java/LeadersWait.tla --config targets/raft-java/LeadersWait.cfg --shrink-budget 40
