//! The whole command line for async-raft.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_async_raft::target())])
}
