//! What comes of the Raft scenarios of Netrix, each beside the authors' outcome and beside a control in which
//! the point of it is missing.
//!
//! Executions follow from the seed, so the numbers are exact: a change of the adapter, of the strategy
//! underneath or of the scenarios shows here as a difference to look at.

use std::fmt::Write;

use expect_test::expect;
use shakedown::AnyTarget;
use shakedown::campaign::{ScenarioRun, ScenarioSummary, Silent, Target};
use shakedown::cluster::{NodeId, Options};
use shakedown::scenario::{Scenario, at, drop_message, fact_with, is_tick, machine, not, when};
use shakedown_raft::{RaftNode, controls, target};

/// What is left out or changed to see a scenario come out otherwise.
enum Control {
    /// Filters, counted from 1.
    Without(&'static [usize]),
    /// An option of the target.
    Set(&'static str, &'static str),
    /// Another scenario with the same property.
    Instead(&'static str),
    /// The same scenario on another target: it never succeeds on this one, and that is the point.
    Elsewhere,
}
use Control::{Elsewhere, Instead, Set, Without};

/// A scenario, the authors' outcome of 100 iterations, and its controls.
const SCENARIOS: [(&str, u64, &[Control]); 11] = [
    ("Liveness", 15, &[Without(&[1]), Set("check_quorum", "false")]),
    ("LivenessNoCQ", 100, &[Without(&[1]), Without(&[2]), Set("check_quorum", "true")]),
    ("NoLiveness", 100, &[Without(&[2]), Set("check_quorum", "false")]),
    ("ConfChangeBug", 55, &[Elsewhere]),
    ("DropHeartbeat", 100, &[Without(&[2])]),
    ("DropVotes", 80, &[Without(&[1])]),
    ("DropFVotes", 100, &[Instead("DropTooManyVotes")]),
    ("DropAppend", 100, &[Without(&[1])]),
    ("ReVote", 74, &[Without(&[1, 2])]),
    ("ManyReVote", 92, &[Without(&[1]), Without(&[1, 2])]),
    ("MultiReVote", 81, &[Without(&[1])]),
];

fn with_controls() -> Target<RaftNode> {
    controls().into_iter().fold(target(), Target::scenario)
}

fn run(target: &dyn AnyTarget, scenario: &str, control: Option<&Control>) -> ScenarioSummary {
    let mut run = ScenarioRun::new(target, scenario);
    let mut options = Options::default();
    match control {
        None | Some(Elsewhere) => {}
        Some(Without(filters)) => run.without = filters.to_vec(),
        Some(Set(option, value)) => options.set(*option, value),
        Some(Instead(other)) => run.scenario = other,
    }
    ScenarioRun { options, ..run }.run(&Silent).unwrap_or_else(|error| panic!("{error}"))
}

fn write_report(control: &Control) -> String {
    match control {
        Without(filters) => format!("without {filters:?}"),
        Set(option, value) => format!("{option}={value}"),
        Instead(other) => (*other).to_owned(),
        Elsewhere => "on a target with the bug".to_owned(),
    }
}

#[test]
fn all_scenarios_of_the_target_are_in_the_table() {
    let known: Vec<_> = target().info().scenarios.iter().map(|info| info.name).collect();
    assert_eq!(known, SCENARIOS.map(|(name, ..)| name));
}

#[test]
fn every_scenario_comes_out_otherwise_in_its_controls_and_the_suite_covers_every_clause() {
    let target = with_controls();
    let mut table = String::new();
    let mut clauses = vec![0; AnyTarget::info(&target).clauses.len()];
    for (name, paper, controls) in &SCENARIOS {
        let summary = run(&target, name, None);
        assert!(summary.violations.is_empty(), "{summary}");
        summary.without_doubt();
        clauses.iter_mut().zip(&summary.total.clauses).for_each(|(all, of_one)| *all += of_one);
        write!(table, "{name:<14} {:>3}, the paper {paper:>3}", summary.successes).expect("text");
        for control in controls.iter().filter(|control| !matches!(control, Elsewhere)) {
            let other = run(&target, name, Some(control));
            assert!(other.violations.is_empty(), "{other}");
            write!(table, ", {} {}", write_report(control), other.successes).expect("text");
            let (ours, theirs) = (summary.successes, other.successes);
            assert!(
                ours.abs_diff(theirs) >= 15,
                "{name} succeeds {ours} times, {} {theirs}",
                write_report(control)
            );
        }
        table.push('\n');
    }
    expect![[r#"
        Liveness        16, the paper  15, without [1] 0, check_quorum=false 100
        LivenessNoCQ   100, the paper 100, without [1] 0, without [2] 11, check_quorum=true 16
        NoLiveness     100, the paper 100, without [2] 20, check_quorum=false 2
        ConfChangeBug    0, the paper  55
        DropHeartbeat  100, the paper 100, without [2] 20
        DropVotes       80, the paper  80, without [1] 1
        DropFVotes     100, the paper 100, DropTooManyVotes 0
        DropAppend     100, the paper 100, without [1] 6
        ReVote          84, the paper  74, without [1, 2] 44
        ManyReVote      83, the paper  92, without [1] 37, without [1, 2] 39
        MultiReVote     86, the paper  81, without [1] 15
    "#]]
    .assert_eq(&table);
    let uncovered: Vec<_> =
        AnyTarget::info(&target).clauses.iter().zip(clauses).filter(|(_, count)| *count == 0).collect();
    assert!(uncovered.is_empty(), "no scenario covers {uncovered:?}");
}

/// Filters see clocks: where only n2's clock goes on, n2 leads. Without the filter, any of the five may.
#[test]
fn whose_clock_goes_on_is_who_leads() {
    let n2 = NodeId::new(2);
    let leads = fact_with("role", "role", "leader");
    let scenario = Scenario::new("OneClock")
        .nodes(5)
        .filter(when(is_tick().and(not(at(n2)))).then(drop_message()))
        .property(
            machine()
                .on(leads.clone().and(at(n2)))
                .goto("n2 leads")
                .success()
                .from_state("start")
                .on(leads)
                .goto_fail(),
        );
    let target = target().scenario(scenario);
    let successes = |control| run(&target, "OneClock", control).successes;
    assert_eq!(successes(None), 100);
    let without = successes(Some(&Without(&[1])));
    assert!(without < 50, "n2 led in {without} of 100");
}
