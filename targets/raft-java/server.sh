#!/usr/bin/env bash
# Starts one server; see src/RaftJavaServer.java for the arguments. RAFT_JAVA_AGENT, if set, is an agent and its options; RAFT_JAVA_TIMES
# are properties of the server.
set -euo pipefail
folder=$(dirname "$0")/../../target/systems/raft-java
[ -d "$folder/classes" ] || { echo "$folder is missing: run targets/raft-java/setup.sh" >&2; exit 1; }
exec java ${RAFT_JAVA_AGENT:+"-javaagent:$RAFT_JAVA_AGENT"} ${RAFT_JAVA_TIMES:-} -Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData --add-opens java.base/java.lang=ALL-UNNAMED \
  -Dorg.slf4j.simpleLogger.defaultLogLevel="${RAFT_JAVA_LOG:-error}" -cp "$folder/classes:$folder/jars/*" RaftJavaServer "$@"
