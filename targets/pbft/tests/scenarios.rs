//! What comes of the scenarios, each beside a control in which the point of it is missing.
//!
//! Executions follow from the seed, so the numbers are exact: a change of the protocol, of the strategy
//! underneath or of the scenarios shows here as a difference to look at.

use std::fmt::Write;

use expect_test::expect;
use shakedown_campaign::{AnyTarget, ScenarioError, ScenarioRun, ScenarioSummary, Silent, Target};
use shakedown_cluster::{Happening, NodeId};
use shakedown_pbft::{Mail, Replica, controls, target};
use shakedown_scenario::{
    Condition, EventView, Scenario, drop_message, fact, from, garble, is_send, kind, machine, when,
};

const N4: NodeId = NodeId::new(4);

/// What is left out, or run instead, to see a scenario not succeed.
enum Control {
    /// A filter, counted from 1.
    Without(usize),
    /// Another scenario with the same property.
    Instead(&'static str),
}

/// Every scenario with its control.
const CONTROLS: [(&str, Control); 8] = [
    ("DPropForP", Control::Without(1)),
    ("DPropSame", Control::Without(2)),
    ("DropWrite", Control::Without(1)),
    ("DropWriteForP", Control::Instead("DropWriteForTwo")),
    ("ExpectNewEpoch", Control::Without(1)),
    ("ExpectStop", Control::Without(1)),
    ("ByzLeaderChange", Control::Without(3)),
    ("PrevEpochProposal", Control::Without(2)),
];

fn with_controls() -> Target<Replica> {
    controls().into_iter().fold(target(), Target::scenario)
}

fn run(target: &Target<Replica>, scenario: &str, without: Option<usize>) -> ScenarioSummary {
    let without = without.into_iter().collect();
    let run = ScenarioRun { without, ..ScenarioRun::new(target, scenario) };
    run.run(&Silent).unwrap_or_else(|error| panic!("{error}"))
}

fn control(target: &Target<Replica>, scenario: &str, control: &Control) -> ScenarioSummary {
    match *control {
        Control::Without(filter) => run(target, scenario, Some(filter)),
        Control::Instead(other) => run(target, other, None),
    }
}

#[test]
fn scenarios_succeed_and_their_controls_do_not() {
    let target = with_controls();
    let mut table = String::new();
    for (scenario, what) in &CONTROLS {
        let summary = run(&target, scenario, None);
        summary.at_least(0.8).never_fails().without_doubt();
        let matched: Vec<_> = summary.total.filters.iter().map(|tally| tally.matched.to_string()).collect();
        let control = control(&target, scenario, what);
        control.at_most(0.3);
        assert!(control.violations.is_empty(), "{control}");
        let (successes, fewer) = (summary.successes, control.successes);
        writeln!(table, "{scenario:<17} {successes:>3} filters {:<13} control {fewer:>3}", matched.join(" "))
            .expect("text");
    }
    expect![[r#"
        DPropForP         100 filters 1600 300      control   0
        DPropSame         100 filters 100 300       control   0
        DropWrite         100 filters 1845          control   0
        DropWriteForP     100 filters 300           control   0
        ExpectNewEpoch    100 filters 486           control   0
        ExpectStop        100 filters 300           control   0
        ByzLeaderChange   100 filters 400 918 888   control   0
        PrevEpochProposal 100 filters 400 501       control   0
    "#]]
    .assert_eq(&table);
}

#[test]
fn every_scenario_of_the_target_has_a_control() {
    let names: Vec<_> = target().info().scenarios.iter().map(|info| info.name).collect();
    assert_eq!(names, CONTROLS.map(|(name, _)| name));
}

#[test]
fn the_suite_covers_every_clause_of_the_protocol() {
    let target = target();
    let mut covered = vec![0; AnyTarget::info(&target).clauses.len()];
    for (scenario, _) in &CONTROLS {
        let clauses = run(&target, scenario, None).total.clauses;
        covered.iter_mut().zip(clauses).for_each(|(sum, count)| *sum += count);
    }
    let never: Vec<_> =
        AnyTarget::info(&target).clauses.iter().zip(covered).filter(|&(_, count)| count == 0).collect();
    assert!(never.is_empty(), "{never:?}");
}

#[test]
fn no_scenario_makes_more_replicas_faulty_than_a_third_and_one_that_does_is_told() {
    let target = with_controls();
    for (scenario, _) in &CONTROLS {
        let run = ScenarioRun { strict: true, iterations: 1, ..ScenarioRun::new(&target, scenario) };
        assert!(run.run(&Silent).is_ok());
    }
    let run = ScenarioRun { iterations: 1, ..ScenarioRun::new(&target, "DropWriteForTwo") };
    let warning = "scenario `DropWriteForTwo` makes 2 of 4 nodes faulty, but pbft tolerates 1";
    assert_eq!(run.run(&Silent).expect("it runs all the same").warnings, [warning]);
    let run = ScenarioRun { strict: true, ..run };
    assert!(matches!(run.run(&Silent), Err(ScenarioError::TooFaulty(reason)) if reason == warning));
}

#[test]
fn every_lie_can_be_read_and_none_breaks_agreement() {
    let summary = run(&target(), "ByzLeaderChange", None);
    assert!(summary.total.filters[2].matched > 0);
    assert_eq!((summary.total.undecodable, summary.total.refused), (0, 0));
    assert!(summary.violations.is_empty(), "{summary}");
}

#[test]
fn what_never_happens_or_cannot_be_read_is_told_in_warnings() {
    let inert = Scenario::new("Inert")
        .nodes(4)
        .requests(1)
        .filter(when(is_send().and(kind("Sync"))).then(drop_message()))
        .property(machine().on(fact("decided")).goto_success());
    // What only n4 was asked, nobody else hears of: then there is nothing to decide.
    let asks_the_liar = Condition::new("n4 is asked", |event: &EventView<'_, Mail>, _| {
        event.node() == N4 && matches!(event.what(), Some(Happening::Requested(_)))
    });
    let garbled = Scenario::new("Garbled")
        .nodes(4)
        .requests(1)
        .faulty(1)
        .filter(when(is_send().and(from(N4))).then(garble(100)))
        .property(
            machine()
                .on(fact("decided"))
                .goto_success()
                .on(asks_the_liar)
                .goto("unheard")
                .on(fact("decided"))
                .goto_fail(),
        );
    let target = target().scenario(inert).scenario(garbled);
    let summary = run(&target, "Inert", None);
    let never =
        ["filter 1 never matched: sent and Sync → drop", "there never was a message of the kind `Sync`"];
    assert_eq!(summary.warnings, never);
    let summary = run(&target, "Garbled", None);
    let lost = summary.total.undecodable;
    assert!(lost > 1_000, "{summary}");
    let warning = format!("{lost} messages were changed to contents that cannot be decoded; they were lost");
    assert_eq!(summary.warnings, [warning]);
    let unheard = summary.info.states.iter().position(|&state| state == "unheard").expect("a state");
    assert_eq!((summary.successes, summary.total.states[unheard], summary.fails), (77, 23, 0));
}
