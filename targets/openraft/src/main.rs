//! The whole command line for openraft.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![shakedown_openraft::any_target()])
}
