//! ConfChangeBug of Netrix as text, beside its form in Rust: the same seeds give the same outcomes, filter by
//! filter.

use shakedown::campaign::{ScenarioRun, ScenarioSummary, Silent, Target};
use shakedown::cluster::Options;
use shakedown_planted_raft::protocol::Message;
use shakedown_planted_raft::{Fault, RaftNode, target};
use shakedown_target_file::{Contents, read_scenarios};

const TEXT: &str = include_str!("netrix.scenario");

/// The text asks for no field of a message.
const CONTENTS: Contents<Message> = Contents { field: |_, _| None, change: |_, _, _| {} };

fn run(target: &Target<RaftNode>, fault: Fault) -> ScenarioSummary {
    let mut run = ScenarioRun::new(target, "ConfChangeBug");
    run.iterations = 30;
    let mut options = Options::default();
    options.set("fault", fault);
    ScenarioRun { options, ..run }.run(&Silent).unwrap_or_else(|error| panic!("{error}"))
}

/// Everything that happened in the iterations, but for the words.
fn outcome(summary: &ScenarioSummary) -> impl PartialEq + std::fmt::Debug {
    let filters: Vec<_> =
        summary.total.filters.iter().map(|tally| (tally.matched, tally.deeds.clone())).collect();
    let violations: Vec<_> = summary.violations.iter().map(|(iteration, _)| *iteration).collect();
    (
        (summary.successes, summary.fails, summary.unknown, summary.first_without_success),
        (filters, summary.total.received, summary.total.refused, summary.total.undecodable),
        violations,
    )
}

#[test]
fn the_bug_shows_as_often_as_with_the_scenario_in_rust() {
    let texts = read_scenarios(TEXT, CONTENTS).unwrap_or_else(|error| panic!("netrix.scenario: {error}"));
    let as_text = texts.into_iter().fold(target(), Target::scenario);
    for (fault, successes) in [(Fault::ReconfigurationUnfixed, 18), (Fault::None, 0)] {
        let (rust, text) = (run(&target(), fault), run(&as_text, fault));
        assert_eq!(outcome(&text), outcome(&rust), "{fault}");
        assert_eq!(text.successes, successes, "{fault}");
    }
}
