//! The whole command line for omnipaxos 0.2.3.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_omnipaxos::target())])
}
