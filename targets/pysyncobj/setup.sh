#!/bin/sh
# Puts the pinned releases of PySyncObj into target/hosts, each in a folder of its own.
#
#   targets/pysyncobj/setup.sh [folder]
#
# pysyncobj-0.3.17  the newest
# pysyncobj-0.3.15  the last one that forgets its term and its vote in a crash
# pysyncobj-0.3.12  mends the indices and the commit rule
# pysyncobj-0.3.11  the last one with these three bugs
set -eu

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "setup.sh: Python 3.11 or later is missing (command: python3)" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
hosts=${1:-$here/../../target/hosts}
mkdir -p "$hosts"

for version in 0.3.17 0.3.15 0.3.12 0.3.11; do
    folder=$hosts/pysyncobj-$version
    if [ -f "$folder/complete" ]; then
        continue
    fi
    rm -rf "$folder"
    install() {
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --target "$folder" "$@" "pysyncobj==$version"
    }
    # The release is a source archive. With the setuptools that is there, no other is fetched to unpack it.
    install --no-build-isolation 2>/dev/null || install
    touch "$folder/complete"
    echo "installed $folder"
done
