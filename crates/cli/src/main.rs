//! The `shakedown` command with its built-in targets. Everything it does is in `shakedown::main`, which
//! anybody can call with targets of their own.

use std::process::ExitCode;

fn main() -> ExitCode {
    shakedown::main(vec![
        shakedown_raft::any_target(),
        shakedown_omnipaxos::any_target(),
        shakedown_figure1::any_target(),
        shakedown_lwt::any_target(),
        shakedown_planted_raft::any_target(),
        shakedown_pbft::any_target(),
        shakedown_appmaster::any_target(),
        shakedown_rsl::any_target(),
        shakedown_zab::any_target(),
    ])
}
