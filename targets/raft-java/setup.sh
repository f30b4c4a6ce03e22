#!/usr/bin/env bash
# Fetches raft-java into target/systems/raft-java and compiles the server that starts it. Needs Java 17 and Maven.
set -euo pipefail
cd "$(dirname "$0")"
folder=$PWD/../../target/systems/raft-java
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies -DoutputDirectory="$folder/jars"
javac -nowarn -proc:none -d "$folder/classes" -cp "$folder/jars/*" src/RaftJavaServer.java
