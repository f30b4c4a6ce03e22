//! The Tendermint scenarios of Netrix: what comes of them beside what came of the authors', and that the
//! filters matter.

use std::fmt::Write;

use expect_test::expect;
use shakedown::AnyTarget;
use shakedown::campaign::{ScenarioRun, ScenarioSummary, Silent};
use shakedown_tendermint::target;

/// A scenario, the authors' outcome of 100 iterations, and the filter without which it is another.
const SCENARIOS: [(&str, u64, usize); 15] = [
    ("ExpectUnlock", 41, 1),
    ("Relocked", 53, 3),
    ("LockedCommit", 100, 2),
    ("LaggingReplica", 100, 3),
    ("ForeverLaggingReplica", 100, 3),
    ("RoundSkip", 90, 3),
    ("BlockVotes", 33, 2),
    ("PrecommitInvariant", 100, 1),
    ("CommitAfterRoundSkip", 36, 3),
    ("DifferentDecisions", 20, 3),
    ("NilPrevotes", 99, 1),
    ("ProposalNilPrevote", 56, 1),
    ("NotNilDecide", 100, 2),
    ("GarbledMessage", 30, 1),
    ("HigherRound", 37, 1),
];

fn run(target: &dyn AnyTarget, scenario: &str, without: Option<usize>) -> ScenarioSummary {
    let without = without.into_iter().collect();
    ScenarioRun { without, ..ScenarioRun::new(target, scenario) }.run(&Silent).expect("it can run")
}

#[test]
fn all_scenarios_of_the_target_are_in_the_table() {
    let known: Vec<_> = target().info().scenarios.iter().map(|info| info.name).collect();
    assert_eq!(known, SCENARIOS.map(|(name, ..)| name));
}

#[test]
fn every_scenario_succeeds_as_often_as_it_did_and_much_less_often_without_its_key_filter() {
    let target: &dyn AnyTarget = &target();
    let mut table = String::new();
    let mut clauses = vec![0; target.info().clauses.len()];
    for (name, paper, key) in SCENARIOS {
        let summary = run(target, name, None);
        assert!(summary.violations.is_empty(), "{summary}");
        // Garbled messages cannot be read: that is the scenario.
        if name != "GarbledMessage" {
            summary.without_doubt();
        }
        let control = run(target, name, Some(key));
        assert!(control.violations.is_empty(), "{control}");
        let (ours, without) = (summary.successes, control.successes);
        assert!(
            without + 40 <= ours,
            "without filter {key}, {name} succeeds {without} times, with it {ours}"
        );
        clauses.iter_mut().zip(&summary.total.clauses).for_each(|(all, of_one)| *all += of_one);
        writeln!(table, "{name:<22} {ours:>3}, the paper {paper:>3}, without filter {key}: {without:>2}")
            .expect("a string takes in any text");
    }
    expect![[r#"
        ExpectUnlock            94, the paper  41, without filter 1:  0
        Relocked                76, the paper  53, without filter 3:  1
        LockedCommit            98, the paper 100, without filter 2: 20
        LaggingReplica         100, the paper 100, without filter 3:  5
        ForeverLaggingReplica   97, the paper 100, without filter 3: 31
        RoundSkip               81, the paper  90, without filter 3:  6
        BlockVotes             100, the paper  33, without filter 2:  0
        PrecommitInvariant     100, the paper 100, without filter 1:  4
        CommitAfterRoundSkip    79, the paper  36, without filter 3:  4
        DifferentDecisions      92, the paper  20, without filter 3: 39
        NilPrevotes            100, the paper  99, without filter 1:  1
        ProposalNilPrevote      56, the paper  56, without filter 1: 12
        NotNilDecide           100, the paper 100, without filter 2: 31
        GarbledMessage         100, the paper  30, without filter 1:  2
        HigherRound             98, the paper  37, without filter 1:  1
    "#]]
    .assert_eq(&table);
    let uncovered: Vec<_> =
        target.info().clauses.iter().zip(clauses).filter(|(_, count)| *count == 0).collect();
    assert!(uncovered.is_empty(), "no scenario covers {uncovered:?}");
}
