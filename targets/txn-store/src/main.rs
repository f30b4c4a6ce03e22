//! The whole command line for the transactional store.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![Box::new(shakedown_txn_store::target())])
}
