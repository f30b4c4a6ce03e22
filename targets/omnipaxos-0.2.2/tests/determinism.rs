//! Seeds fix executions: this version of omnipaxos with every strategy. See `shakedown_cases::determinism`.

use std::process::ExitCode;

use shakedown_cases::determinism::{EXECUTIONS, Expected, cases};

const NO_SINGLE_LOSS: &str = "the target's contract rules out the loss of single messages";

fn main() -> ExitCode {
    cases(Expected {
        program: env!("CARGO_BIN_EXE_shakedown-omnipaxos-0-2-2"),
        executions: EXECUTIONS,
        checked: 18,
        ruled_out: &[("omnipaxos-0.2.2", &["lossy", "closure:level=b"], NO_SINGLE_LOSS)],
    })
    .run()
}
