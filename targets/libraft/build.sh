#!/bin/sh
# Builds libraft and its adapter into target/hosts/libraft: Debian's packages libraft-dev and libraft2 0.15.0-1, unpacked there and not
# installed, and the adapter as a shared library of Shakedown's C interface.
#
#   targets/libraft/build.sh [folder]
#
# Needs a C compiler, and Debian's apt-get and dpkg-deb to fetch and unpack the packages.
set -eu

version=0.15.0-1
for needed in cc apt-get dpkg-deb; do
    if ! command -v "$needed" >/dev/null 2>&1; then
        echo "build.sh: $needed is missing: libraft comes from Debian's packages, and a C compiler builds its adapter" >&2
        exit 2
    fi
done

here=$(cd "$(dirname "$0")" && pwd)
hosts=${1:-$here/../../target/hosts}
mkdir -p "$hosts/libraft"
folder=$(cd "$hosts/libraft" && pwd)

if ! ls "$folder"/usr/lib/*/libraft.so.2 >/dev/null 2>&1; then
    # A machine that has never fetched package lists knows no package.
    apt-cache show "libraft2=$version" >/dev/null 2>&1 || apt-get update -qq
    (cd "$folder" && apt-get download -q "libraft2=$version" "libraft-dev=$version" >/dev/null)
    # libuv and lz4 are in libraft for servers that it drives itself; the loader wants them all the same.
    for library in libuv1 liblz4-1; do
        ldconfig -p 2>/dev/null | grep -q "$(echo "$library" | sed 's/^libuv1$/libuv.so.1/; s/^liblz4-1$/liblz4.so.1/')" ||
            (cd "$folder" && apt-get download -q "$library" >/dev/null)
    done
    for package in "$folder"/*.deb; do
        dpkg-deb -x "$package" "$folder"
    done
fi

libraries=$(dirname "$(ls "$folder"/usr/lib/*/libraft.so.2)")
cc -std=c11 -O2 -g -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden \
    -I "$here/../../clients/c" -I "$folder/usr/include" \
    -o "$folder/liblibraft-node.so" "$here"/node.c "$here"/io.c "$here"/disk.c "$here"/messages.c \
    -L "$libraries" -lraft -Wl,-rpath,"$libraries"
echo "built $folder/liblibraft-node.so"

# The story of a flaw, told by the simulator that comes with libraft; see docs/findings.md.
cc -std=c11 -O2 -g -Wall -Wextra -Werror -I "$folder/usr/include" -o "$folder/story" "$here/story.c" \
    -L "$libraries" -lraft -Wl,-rpath,"$libraries"
echo "built $folder/story"
