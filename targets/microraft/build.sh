#!/usr/bin/env bash
# Builds the hosts of MicroRaft into target/hosts: microraft-0.7, the newest release that is published, and microraft-0.5, the one
# before it. Needs Java 17 and Maven.
set -euo pipefail
cd "$(dirname "$0")/host"
for release in 0.7 0.5; do
  mvn -q -B -Dmicroraft.version="$release" compile
done
