//! For every fault a witness: a short schedule that violates a property of Raft with the fault planted, and
//! none without it. They were found by random walks and shrunk.
//!
//! A file of `tests/witnesses` begins with a header: the fault, how many nodes there are, options that are
//! not as the target has them (`set`), the seed that election timeouts are drawn from, the property and in
//! which way it is violated. After an empty line comes one step a line.

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use shakedown_campaign::{AnyTarget, Beat, Config, Verdict, replay};
use shakedown_cases::{cases, files, read};
use shakedown_cluster::{Recording, Schedule, adapt};
use shakedown_planted_raft::{Fault, target};

/// The most steps that a witness may have to be followed by a reader.
const STEPS_MAX: usize = 60;

/// The words that lines of a header begin with.
const KEYS: [&str; 6] = ["fault", "nodes", "set", "seed", "property", "reason"];

struct Witness {
    fault: Fault,
    config: Config,
    seed: u64,
    property: String,
    reason: String,
    schedule: Schedule,
}

impl Witness {
    fn read(text: &str) -> Witness {
        let (header, steps) = text.split_once("\n\n").expect("an empty line ends the header");
        let printed = |key: &str| {
            let line = header.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
            line.unwrap_or_else(|| panic!("the header has no line for the {key}"))
        };
        for key in header.lines().map(|line| line.split(' ').next().unwrap_or_default()) {
            assert!(KEYS.contains(&key), "`{key}` is no word of a header");
        }
        let number = |key: &str| printed(key).parse().expect("a number");
        let mut config = target().defaults().clone();
        config.nodes = number("nodes") as usize;
        config.options.set("fault", printed("fault"));
        for option in header.lines().filter_map(|line| line.strip_prefix("set ")) {
            let (name, value) = option.split_once('=').expect("options are name=value");
            config.options.set(name, value);
        }
        let steps = steps.lines().map(|line| line.parse().expect("a step")).collect();
        Witness {
            fault: printed("fault").parse().expect("a fault"),
            config,
            seed: number("seed"),
            property: printed("property").to_owned(),
            reason: printed("reason").to_owned(),
            schedule: Schedule { steps },
        }
    }

    /// What the schedule comes to, done exactly.
    fn verdict(&self) -> Verdict {
        let recording = Recording::Brief;
        let beat = Beat::default();
        let outcome = replay(&target(), &self.config, self.seed, &self.schedule, recording, &beat);
        outcome.expect("it replays").verdict
    }

    /// The property that the schedule violates when nothing is planted. What the fault brought about does not
    /// happen then, so steps are done as far as they can be.
    fn violated_without_fault(&self) -> Option<String> {
        let mut config = self.config.clone();
        config.options.set("fault", Fault::None);
        let mut live = target().begin(&config, self.seed, Recording::Brief).expect("it begins");
        for step in &self.schedule.steps {
            let Some(step) = adapt(step, live.board()) else { continue };
            if let Ok(Err(violation)) = live.perform(&step) {
                return Some(violation.to_string());
            }
            assert_eq!(live.board().stopped(), None);
        }
        None
    }
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/witnesses");

fn every_fault_has_a_witness() {
    let witness = |file: &PathBuf| Witness::read(&read(file)).fault.to_string();
    let witnessed: BTreeSet<_> = files(FOLDER, "txt").iter().map(witness).collect();
    let faults: BTreeSet<_> =
        Fault::ALL.iter().filter(|fault| fault.violates_invariants()).map(Fault::to_string).collect();
    assert_eq!(witnessed, faults);
}

fn violates_its_property_with_the_fault(file: &Path) {
    let witness = Witness::read(&read(file));
    let Verdict::Fail(violation) = witness.verdict() else { panic!("it violates nothing") };
    assert_eq!((&violation.property, &violation.reason), (&witness.property, &witness.reason));
    assert!(witness.schedule.steps.len() <= STEPS_MAX, "it is too long to be followed");
}

fn violates_nothing_without_the_fault(file: &Path) {
    assert_eq!(Witness::read(&read(file)).violated_without_fault(), None);
}

fn an_unknown_word_in_a_header_is_an_error() {
    let witness = read(&files(FOLDER, "txt")[0]);
    let wrong = format!("colour red\n{witness}");
    assert!(catch_unwind(|| Witness::read(&witness)).is_ok());
    assert!(catch_unwind(|| Witness::read(&wrong)).is_err());
}

fn two_faults_are_harmless_with_three_nodes() {
    for fault in [Fault::QuorumThird, Fault::DuplicateVoteCounted] {
        shakedown::Test::new(target()).set("fault", fault).executions(1_000).run();
    }
}

fn to_commit_an_older_term_is_harmless_if_an_append_carries_the_rest_of_the_log() {
    let test = shakedown::Test::new(target()).set("fault", Fault::CommitOlderTerm).set("append_max", 1_000);
    test.set("election_tick", 2).executions(1_000).run();
}

fn main() -> ExitCode {
    cases![
        every_fault_has_a_witness,
        an_unknown_word_in_a_header_is_an_error,
        two_faults_are_harmless_with_three_nodes,
        to_commit_an_older_term_is_harmless_if_an_append_carries_the_rest_of_the_log,
    ]
    .and_files("with_its_fault", files(FOLDER, "txt"), violates_its_property_with_the_fault)
    .and_files("without_its_fault", files(FOLDER, "txt"), violates_nothing_without_the_fault)
    .run()
}
