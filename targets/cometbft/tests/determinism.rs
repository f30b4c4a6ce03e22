//! Seeds fix executions: CometBFT with every strategy. See `shakedown_cases::determinism`.

use std::process::ExitCode;

use shakedown_cases::determinism::{Expected, cases};
use shakedown_cometbft::are_built;

const NO_ROUNDS: &str = "this target does not define its rounds";
const NO_PREDICATES: &str = "this target offers no predicates for them";

fn main() -> ExitCode {
    if !are_built() {
        return ExitCode::SUCCESS;
    }
    cases(Expected {
        program: env!("CARGO_BIN_EXE_shakedown-cometbft"),
        executions: 3,
        checked: 18,
        ruled_out: &[
            ("cometbft", &["closure:level=b"], NO_ROUNDS),
            ("cometbft", &["waypoint"], NO_PREDICATES),
        ],
    })
    .run()
}
