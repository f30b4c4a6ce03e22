#!/bin/sh
# Makes a copy of CometBFT that Shakedown can control, and prints the go.mod that builds the host with it.
#
#   instrument.sh folder
#
# Three files of ours are added to packages of the library (_instrument). Three lines of the copy are changed: the
# library's clock and its way of writing files become variables, and a message to all peers is sent to one after the
# other. If a line is not where it is expected, nothing is made. The copy is made here and never committed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1"
mkdir -p "$1/library"
folder=$(cd "$1" && pwd)
copy=$folder/library
cd "$here"
# The folder is not known before the module is there.
go mod download github.com/cometbft/cometbft
library=$(go list -m -f '{{.Dir}}' github.com/cometbft/cometbft)
tar -C "$library" --exclude=./docs --exclude=./spec --exclude='*_test.go' -cf - . | tar -C "$copy" -xf -
chmod -R u+w "$copy"

change() {
    file=$copy/$1
    if [ "$(grep -cF "$2" "$file")" != 1 ]; then
        echo "instrument.sh: $file does not have exactly one line with '$2'" >&2
        exit 1
    fi
    sed "s|$2|$3|" "$file" >"$file.changed"
    mv "$file.changed" "$file"
}
change types/time/time.go 'func Now() time.Time {' 'func realNow() time.Time {'
change libs/tempfile/tempfile.go 'func WriteFileAtomic(' 'func writeFileAtomic('
change p2p/switch.go 'go func(p Peer) {' 'func(p Peer) {'
cp _instrument/time/shakedown.go "$copy/types/time/"
cp _instrument/tempfile/shakedown.go "$copy/libs/tempfile/"
cp _instrument/consensus/shakedown.go "$copy/consensus/"

cp go.sum "$folder/go.sum"
cp go.mod "$folder/go.mod"
go mod edit -replace "github.com/cometbft/cometbft=$copy" "$folder/go.mod"
go mod edit -replace "shakedown.dev/go=$here/../../../clients/go" "$folder/go.mod"
echo "$folder/go.mod"
