//! The whole command line for the etcd server.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_etcd::target())])
}
