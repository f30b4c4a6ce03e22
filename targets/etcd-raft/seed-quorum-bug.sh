#!/bin/sh
# Seeds the quorum bug of the ModelFuzz paper into a copy of etcd's raft: an election is won with n/3+1 votes.
#
#   seed-quorum-bug.sh folder-of-the-copy
#
# With three nodes n/3+1 is 2, as n/2+1 is, so the bug needs five. One line is changed: where votes are counted.
set -eu

file=$1/quorum/majority.go
right='q := len(c)/2 + 1'
wrong='q := len(c)/3 + 1'
if [ "$(grep -cF "$right" "$file")" != 1 ]; then
    echo "seed-quorum-bug.sh: $file does not have exactly one line '$right'" >&2
    exit 1
fi
sed "s|$right|$wrong|" "$file" >"$file.changed"
mv "$file.changed" "$file"
