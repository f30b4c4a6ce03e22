#!/bin/sh
# A wrapper around rustc that instruments the code under test and nothing else, for the guides `code` and `blocks`:
#
#     RUSTC_WRAPPER=$PWD/scripts/instrument.sh cargo run --release --target-dir target/instrumented -- \
#         run raft --strategy fuzz --guide code
#
# INSTRUMENT names the crates (with underscores); unless something else is said, the built-in targets. The adapter of tendermint is
# not among them: it remembers signatures, so that what an execution runs depends on what ran before it. Of a library that is generic,
# as raft is, much is compiled with the crate that uses it: both have to be named. A target folder of its own is needed,
# since cargo does not know what the wrapper does.
compiler=$1
shift
crates=${INSTRUMENT-"raft omnipaxos shakedown_raft shakedown_omnipaxos shakedown_planted_raft shakedown_pbft shakedown_appmaster
    shakedown_figure1 shakedown_lwt shakedown_rsl shakedown_zab"}
previous=
for argument in "$@"; do
    if [ "$previous" = --crate-name ]; then
        for crate in $crates; do
            [ "$argument" = "$crate" ] && exec "$compiler" "$@" -C instrument-coverage
        done
    fi
    previous=$argument
done
exec "$compiler" "$@"
