//! Seeds fix executions: every release of etcd's raft with every strategy. See
//! `shakedown_cases::determinism`.

use std::process::ExitCode;

use shakedown_cases::determinism::{Expected, cases};
use shakedown_etcd_raft::are_built;

fn main() -> ExitCode {
    if !are_built() {
        return ExitCode::SUCCESS;
    }
    cases(Expected {
        program: env!("CARGO_BIN_EXE_shakedown-etcd-raft"),
        executions: 24,
        checked: 80,
        ruled_out: &[],
    })
    .run()
}
