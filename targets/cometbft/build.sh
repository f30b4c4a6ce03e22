#!/bin/sh
# Builds the host of CometBFT into target/hosts: github.com/cometbft/cometbft 0.38.17, instrumented (host/instrument.sh).
#
#   targets/cometbft/build.sh [folder]
set -eu

if ! command -v go >/dev/null 2>&1; then
    echo "build.sh: Go is missing: the host of CometBFT needs Go 1.26 or later (command: go)" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
hosts=${1:-$here/../../target/hosts}
mkdir -p "$hosts"
hosts=$(cd "$hosts" && pwd)
modules=$("$here/host/instrument.sh" "$hosts/cometbft-instrumented")
cd "$here/host"

# Without -trimpath and with a version stamp, the same source would give different programs in different folders.
go build -trimpath -buildvcs=false -modfile="$modules" -o "$hosts/cometbft" .
echo "built $hosts/cometbft"
