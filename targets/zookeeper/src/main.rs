//! The whole command line for ZooKeeper.

use std::process::ExitCode;

use shakedown_zookeeper::{RELEASES, target};

fn main() -> ExitCode {
    shakedown::main(RELEASES.iter().map(|release| Box::new(target(release)) as _).collect())
}
