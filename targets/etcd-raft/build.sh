#!/bin/sh
# Builds the hosts of etcd's raft into target/hosts: the newest release, older ones, and one with a seeded bug.
#
#   targets/etcd-raft/build.sh [folder]
#
# etcd-raft             go.etcd.io/raft/v3 3.7.0
# etcd-raft-3.6         go.etcd.io/raft/v3 3.6.0
# etcd-raft-3.5         go.etcd.io/etcd/raft/v3 3.5.35, the library as it was inside of etcd
# etcd-raft-quorum-bug  3.7.0 with one line changed: a quorum is n/3+1 nodes (the seeded bug of the ModelFuzz paper)
set -eu

if ! command -v go >/dev/null 2>&1; then
    echo "build.sh: Go is missing: the hosts of etcd's raft need Go 1.26 or later (command: go)" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
hosts=${1:-$here/../../target/hosts}
mkdir -p "$hosts"
hosts=$(cd "$hosts" && pwd)
cd "$here/host"

# Without -trimpath and with a version stamp, the same source would give different programs in different folders.
build() {
    name=$1
    shift
    go build -trimpath -buildvcs=false -o "$hosts/$name" "$@" .
    echo "built $hosts/$name"
}

build etcd-raft
build etcd-raft-3.6 -modfile=go-3.6.mod -tags raft36
build etcd-raft-3.5 -tags raft35

# The changed library is a copy of the module's source, made here and never committed. If the line is not where it is
# expected, nothing is built.
library=$(go list -m -f '{{.Dir}}' go.etcd.io/raft/v3)
copy=$hosts/quorum-bug
chmod -R u+w "$copy" 2>/dev/null || true
rm -rf "$copy"
mkdir -p "$copy"
cp -R "$library/." "$copy/raft"
chmod -R u+w "$copy"
"$here/seed-quorum-bug.sh" "$copy/raft"
cp go.mod "$copy/go.mod"
cp go.sum "$copy/go.sum"
go mod edit -replace "go.etcd.io/raft/v3=$copy/raft" "$copy/go.mod"
go mod edit -replace "shakedown.dev/go=$here/../../clients/go" "$copy/go.mod"
build etcd-raft-quorum-bug -modfile="$copy/go.mod" -ldflags "-X 'main.build=quorum n/3+1'"
