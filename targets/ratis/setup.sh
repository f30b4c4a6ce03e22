#!/usr/bin/env bash
# Fetches releases of Apache Ratis into target/systems/ratis-VERSION and compiles the server that starts them. Needs Java 17 and Maven.
#
#   targets/ratis/setup.sh [VERSION …]      0.5.0 by default
set -euo pipefail
cd "$(dirname "$0")"
systems=$PWD/../../target/systems
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(0.5.0)
for version in "${versions[@]}"; do
  folder=$systems/ratis-$version
  case $version in
    3.*) slf4j=2.0.7 metrics=ratis-metrics-default ;;
    *) slf4j=1.7.36 metrics=ratis-metrics ;;
  esac
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -Dratis.version="$version" -Dslf4j.version="$slf4j" -Dratis.metrics="$metrics" \
    -DoutputDirectory="$folder/jars"
  javac -nowarn -d "$folder/classes" -cp "$folder/jars/*" src/RatisServer.java
done
