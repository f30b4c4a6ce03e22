#!/usr/bin/env bash
# Fetches releases of ZooKeeper into target/systems/zookeeper-VERSION, each with all that its servers load. Needs Java and Maven.
#
#   targets/zookeeper/setup.sh [VERSION …]      3.9.5 by default
set -euo pipefail
cd "$(dirname "$0")"
systems=$PWD/../../target/systems
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(3.9.5)
for version in "${versions[@]}"; do
  case $version in
    3.9.*) slf4j=2.0.13 ;;
    *) slf4j=1.7.36 ;;
  esac
  mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
    -Dzookeeper.version="$version" -Dslf4j.version="$slf4j" -DoutputDirectory="$systems/zookeeper-$version"
done
