//! The `shakedown` command with its built-in targets. Everything it does is in `shakedown::main`, which anybody can call
//! with targets of their own.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![
        Box::new(shakedown_raft::target()),
        Box::new(shakedown_omnipaxos::target()),
        Box::new(shakedown_figure1::target()),
        Box::new(shakedown_lwt::target()),
        Box::new(shakedown_planted_raft::target()),
        Box::new(shakedown_tendermint::target()),
        Box::new(shakedown_pbft::target()),
        Box::new(shakedown_appmaster::target()),
        Box::new(shakedown_rsl::target()),
    ])
}
