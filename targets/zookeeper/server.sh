#!/usr/bin/env bash
# Starts one server in this folder: server.sh JARS ID DATA CONFIG. Its number is a file among its data, so it is written before every
# start: a server that has lost its data still knows who it is.
set -euo pipefail
printf '%s\n' "$2" > "$3/myid"
# A small heap and the quicker of the two compilers: three servers share a machine with other things, and live for a minute.
exec java -Xmx192m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData \
  -cp "$1/*" org.apache.zookeeper.server.quorum.QuorumPeerMain "$4"
