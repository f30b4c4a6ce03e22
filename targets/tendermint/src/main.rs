//! The whole command line for malachite's Tendermint.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![shakedown_tendermint::any_target()])
}
