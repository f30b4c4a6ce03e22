//! The whole command line for etcd's Raft library.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(shakedown_etcd_raft::targets())
}
