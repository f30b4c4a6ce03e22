#!/usr/bin/env bash
# Starts one server of the release that RATIS_VERSION names; see src/RatisServer.java for the arguments.
set -euo pipefail
folder=$(dirname "$0")/../../target/systems/ratis-${RATIS_VERSION:-0.5.0}
[ -d "$folder/classes" ] || { echo "$folder is missing: run targets/ratis/setup.sh ${RATIS_VERSION:-0.5.0}" >&2; exit 1; }
exec java -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \
  -Dorg.slf4j.simpleLogger.defaultLogLevel="${RATIS_LOG:-error}" -Dorg.slf4j.simpleLogger.showDateTime=true \
  -Dorg.slf4j.simpleLogger.dateTimeFormat=mm:ss.SSS \
  -cp "$folder/classes:$folder/jars/*" RatisServer "$@"
