//! Seeds fix executions: the targets of the command, each with every strategy. It takes minutes, so it is not
//! a part of `cargo test --workspace`: `cargo test -p shakedown-cli --test determinism`, which CI runs.

use std::process::ExitCode;

use shakedown_cases::determinism::{EXECUTIONS, Expected, cases};

const NO_CRASHES: &str = "the target's contract rules out crashes";
const NO_LOSS: &str = "the target's contract rules out that messages are lost";
const NO_SINGLE_LOSS: &str = "the target's contract rules out the loss of single messages";
const NO_ROUNDS: &str = "this target does not define its rounds";
const NO_PREDICATES: &str = "this target offers no predicates for them";

/// What learns where to cut the network, and what cuts it at random.
const LEARNING: [&str; 5] = ["partitions", "bonusmax", "negvisits", "ucbzero", "novelty"];

fn main() -> ExitCode {
    cases(Expected {
        program: env!("CARGO_BIN_EXE_shakedown"),
        executions: EXECUTIONS,
        checked: 157,
        ruled_out: &[
            ("omnipaxos", &["lossy", "closure:level=b"], NO_SINGLE_LOSS),
            ("figure1", &["waypoint"], NO_PREDICATES),
            ("lwt", &["waypoint"], NO_PREDICATES),
            ("pbft", &["waypoint"], NO_PREDICATES),
            ("appmaster", &["waypoint"], NO_PREDICATES),
            ("zab", &["waypoint"], NO_PREDICATES),
            ("figure1", &["crashing", "closure:level=c,by=crash"], NO_CRASHES),
            ("pbft", &["crashing", "closure:level=c,by=crash"], NO_CRASHES),
            ("pbft", &["closure:level=b"], NO_ROUNDS),
            (
                "appmaster",
                &["closure", "closure:level=b", "closure:level=c", "closure:level=c,by=crash"],
                NO_LOSS,
            ),
            ("appmaster", &LEARNING, NO_LOSS),
            ("appmaster", &["lossy"], NO_SINGLE_LOSS),
            ("appmaster", &["crashing"], NO_CRASHES),
        ],
    })
    .run()
}
