//! The whole command line for the account.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_tonic_deposits::target())])
}
