//! The whole command line for mini-redis.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_mini_redis::target())])
}
