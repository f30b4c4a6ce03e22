//! The whole command line for openraft 0.9.13.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_openraft::target())])
}
