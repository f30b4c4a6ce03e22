//! The whole command line for the counter.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_http_counter::target())])
}
