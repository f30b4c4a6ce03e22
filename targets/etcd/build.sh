#!/bin/sh
# Builds the etcd server, unmodified, into target/hosts: go.etcd.io/etcd/server/v3, at the version that server/go.mod pins.
#
#   targets/etcd/build.sh [folder]
set -eu

if ! command -v go >/dev/null 2>&1; then
    echo "build.sh: Go is missing: the etcd server needs Go 1.26 or later (command: go)" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
hosts=${1:-$here/../../target/hosts}
mkdir -p "$hosts"
hosts=$(cd "$hosts" && pwd)
cd "$here/server"
go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$hosts/etcd" .
echo "built $hosts/etcd"
