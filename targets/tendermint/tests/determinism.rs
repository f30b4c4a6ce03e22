//! Seeds fix executions: malachite's Tendermint with every strategy. See `shakedown_cases::determinism`.

use std::process::ExitCode;

use shakedown_cases::determinism::{EXECUTIONS, Expected, cases};

const NO_PREDICATES: &str = "this target offers no predicates for them";

fn main() -> ExitCode {
    cases(Expected {
        program: env!("CARGO_BIN_EXE_shakedown-tendermint"),
        executions: EXECUTIONS,
        checked: 19,
        ruled_out: &[("tendermint", &["waypoint"], NO_PREDICATES)],
    })
    .run()
}
