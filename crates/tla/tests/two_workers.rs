//! Every model in `specs` gives the facts of its `.expect` file with two workers too. The README's test
//! command leaves this program out: with one worker the same models run in `specs.rs`.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

mod expected;

use std::path::Path;
use std::process::ExitCode;

use shakedown_cases::cases;

use expected::{MODELS, check_facts, configurations};

fn with_two_workers(config: &Path) {
    check_facts(config, 2);
}

fn main() -> ExitCode {
    cases![].and_files("model", configurations(MODELS), with_two_workers).run()
}
