//! The whole command line for openraft.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_openraft::target())])
}
