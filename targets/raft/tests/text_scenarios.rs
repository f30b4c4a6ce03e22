//! The Raft scenarios of Netrix as text, beside their forms in Rust: the same seeds give the same outcomes,
//! filter by filter.

use expect_test::expect;
use shakedown::campaign::{ScenarioRun, ScenarioSummary, Silent, Target};
use shakedown::cluster::Value;
use shakedown_raft::{RaftMessage, RaftNode, target};
use shakedown_target_file::{Contents, read_scenarios};

const TEXT: &str = include_str!("netrix.scenario");
const ITERATIONS: u64 = 12;

/// The fields of a message that the text asks for.
const CONTENTS: Contents<RaftMessage> = Contents {
    field: |message, path| match path {
        ["term"] => Some(Value::from(message.0.term)),
        ["index"] => Some(Value::from(message.0.index)),
        _ => None,
    },
    change: |_, _, _| {},
};

fn run(target: &Target<RaftNode>, scenario: &str) -> ScenarioSummary {
    let mut run = ScenarioRun::new(target, scenario);
    run.iterations = ITERATIONS;
    run.run(&Silent).unwrap_or_else(|error| panic!("{scenario}: {error}"))
}

/// Everything that happened in the iterations of a scenario, but for the words and the order of states.
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
fn a_scenario_as_text_does_what_it_does_in_rust() {
    let texts = read_scenarios(TEXT, CONTENTS).unwrap_or_else(|error| panic!("netrix.scenario: {error}"));
    let names: Vec<_> = texts.iter().map(|scenario| scenario.name().to_owned()).collect();
    let in_rust = target();
    let as_text = texts.into_iter().fold(target(), Target::scenario);
    let mut report = String::new();
    for name in &names {
        let (rust, text) = (run(&in_rust, name), run(&as_text, name));
        assert_eq!(outcome(&text), outcome(&rust), "{name}");
        report.push_str(&format!("{name}: {} of {ITERATIONS}\n", text.successes));
    }
    expect![[r#"
        Liveness: 3 of 12
        LivenessNoCQ: 12 of 12
        NoLiveness: 12 of 12
        DropHeartbeat: 12 of 12
        DropVotes: 11 of 12
        DropFVotes: 12 of 12
        DropAppend: 12 of 12
        ReVote: 8 of 12
        ManyReVote: 8 of 12
        MultiReVote: 9 of 12
        ConfChangeBug: 0 of 12
    "#]]
    .assert_eq(&report);
}
