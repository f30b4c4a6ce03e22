//! What comes of the fifteen Tendermint scenarios of Netrix on CometBFT, each beside the authors' outcome.
//!
//! Executions follow from the seed, so the numbers are exact: a change of the host, of the strategy
//! underneath or of the scenarios shows here as a difference to look at.

use std::fmt::Write;

use expect_test::expect;
use shakedown::AnyTarget;
use shakedown::campaign::{ScenarioRun, Silent};
use shakedown_cometbft::{are_built, target};

/// A scenario, and how many of 100 iterations the thesis reports.
const SCENARIOS: [(&str, u64); 15] = [
    ("ExpectUnlock", 41),
    ("Relocked", 53),
    ("LockedCommit", 100),
    ("LaggingReplica", 100),
    ("ForeverLaggingReplica", 100),
    ("RoundSkip", 90),
    ("BlockVotes", 33),
    ("PrecommitInvariant", 100),
    ("CommitAfterRoundSkip", 36),
    ("DifferentDecisions", 20),
    ("NilPrevotes", 99),
    ("ProposalNilPrevote", 56),
    ("NotNilDecide", 100),
    ("GarbledMessage", 30),
    ("HigherRound", 37),
];

#[test]
fn all_scenarios_of_the_target_are_in_the_table() {
    let known: Vec<_> = target().info().scenarios.iter().map(|info| info.name).collect();
    assert_eq!(known, SCENARIOS.map(|(name, ..)| name));
}

#[test]
fn the_scenarios_of_netrix_on_the_implementation_of_their_authors() {
    if !are_built() {
        return;
    }
    let target = target();
    let mut table = String::new();
    for (scenario, thesis) in SCENARIOS {
        let mut run = ScenarioRun::new(&target, scenario);
        run.iterations = 10;
        let summary = run.run(&Silent).unwrap_or_else(|error| panic!("{error}"));
        assert!(summary.violations.is_empty(), "{summary}");
        let successes = summary.successes;
        writeln!(table, "{scenario:<22} {successes:>2} of 10, the thesis {thesis:>3} of 100")
            .expect("a string takes in any text");
    }
    expect![[r#"
        ExpectUnlock            5 of 10, the thesis  41 of 100
        Relocked                4 of 10, the thesis  53 of 100
        LockedCommit           10 of 10, the thesis 100 of 100
        LaggingReplica         10 of 10, the thesis 100 of 100
        ForeverLaggingReplica   0 of 10, the thesis 100 of 100
        RoundSkip              10 of 10, the thesis  90 of 100
        BlockVotes             10 of 10, the thesis  33 of 100
        PrecommitInvariant     10 of 10, the thesis 100 of 100
        CommitAfterRoundSkip    4 of 10, the thesis  36 of 100
        DifferentDecisions      5 of 10, the thesis  20 of 100
        NilPrevotes            10 of 10, the thesis  99 of 100
        ProposalNilPrevote      5 of 10, the thesis  56 of 100
        NotNilDecide           10 of 10, the thesis 100 of 100
        GarbledMessage         10 of 10, the thesis  30 of 100
        HigherRound             9 of 10, the thesis  37 of 100
    "#]]
    .assert_eq(&table);
}
