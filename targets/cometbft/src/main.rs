//! The whole command line for CometBFT.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(shakedown_cometbft::targets())
}
