//! Every specification in `tests/specs`, `specs` and `specs/bench` gives the facts of its `.expect` file.
//!
//! Each configuration with an `.expect` file is a case; those of `specs` are run with one worker here
//! and with two in `two_workers.rs`. Models of more than 20 000 states are left to the benchmarks.

#![allow(clippy::unwrap_used)] // Everything here is a test; what fails should panic.

mod expected;
mod spilled;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use shakedown_cases::{cases, files};

use expected::{Fact, MODELS, check_facts, configurations, difference, distinct, fact, facts, load, run};

/// How many states those have that are checked again and again.
const REPEATED: RangeInclusive<u64> = 10..=2_000;

/// A model that cannot be loaded has nothing to spill.
fn with_its_states_in_a_folder(config: &Path) {
    if let Ok((spec, options)) = load(config) {
        spilled::agrees(config, &spec, &options);
    }
}

fn ended_and_continued(config: &Path) {
    if let Ok((spec, options)) = load(config) {
        spilled::survives(config, &spec, &options);
    }
}

fn with_one_worker(config: &Path) {
    check_facts(config, 1);
}

/// Those that have states enough to be moved, and not too many.
fn repeated(folder: &str) -> Vec<PathBuf> {
    let mut configurations = configurations(folder);
    configurations
        .retain(|config| distinct(&config.with_extension("expect")).is_some_and(|n| REPEATED.contains(&n)));
    configurations
}

fn a_damaged_checkpoint_is_an_error() {
    let (spec, options) = load(&Path::new(MODELS).join("TwoPhaseCommit.cfg")).unwrap();
    spilled::refuses_damage(&spec, &options);
}

fn an_unknown_word_is_an_error() {
    for line in [
        "distinkt 3",
        "distinct many",
        "depth",
        "violation",
        "violation invariant",
        "violation deadlock now",
        "error",
        "success",
    ] {
        assert!(facts(&format!("distinct 1\n{line}\n")).is_err(), "{line}");
    }
    assert!(facts("# not confirmed by TLC\n").is_err(), "a file without facts");
    let expected = [Fact::Distinct(3), Fact::Violation("violation property Live".to_owned())];
    assert_eq!(facts("# slow\ndistinct 3\nviolation property Live\n").unwrap(), expected);
}

fn a_wrong_fact_is_found() {
    let config = Path::new(TESTS).join("Deadlock.cfg");
    let result = run(&config, 1);
    for (line, holds) in
        [("violation deadlock", true), ("violation invariant Inv", false), ("trace 999", false)]
    {
        assert_eq!(difference(&result, &fact(line).unwrap()).is_none(), holds, "{line}");
    }
}

/// Segments are short and states are small here: a worker must look at the memory across segments.
fn states_that_do_not_fit_leave_the_memory() {
    let (spec, options) = load(&Path::new(BENCHMARKS).join("SlidingWindow.cfg")).unwrap();
    let (report, uses) = spilled::uses_of_the_folder(&spec, &options, 512 << 10);
    assert_eq!((report.distinct, report.generated, report.depth), (28_971, 122_217, 36));
    assert!(uses > 100, "{uses}");
    let (_, uses) = spilled::uses_of_the_folder(&spec, &options, 64 << 20);
    assert!(uses < 10, "{uses}");
}

fn every_expectation_has_its_configuration() {
    for folder in [TESTS, MODELS, BENCHMARKS] {
        let without = files(folder, "expect").into_iter().find(|file| !file.with_extension("cfg").exists());
        assert_eq!(without, None);
    }
}

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/specs");
const BENCHMARKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/bench");

fn main() -> ExitCode {
    cases![
        an_unknown_word_is_an_error,
        a_wrong_fact_is_found,
        every_expectation_has_its_configuration,
        a_damaged_checkpoint_is_an_error,
        states_that_do_not_fit_leave_the_memory
    ]
    // These come first: a checkpoint has all symbols that the program knows, and each model adds some.
    .and_files("spilled", repeated(TESTS), with_its_states_in_a_folder)
    .and_files("spilled_model", repeated(MODELS), with_its_states_in_a_folder)
    .and_files("continued", repeated(TESTS), ended_and_continued)
    .and_files("continued_model", repeated(MODELS), ended_and_continued)
    .and_files("small", configurations(TESTS), with_one_worker)
    .and_files("model", configurations(MODELS), with_one_worker)
    .and_files("benchmark", configurations(BENCHMARKS), with_one_worker)
    .run()
}
