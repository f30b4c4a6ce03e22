//! The scenarios are small: no more filters than the authors' unit tests have (thesis, table 3.3).

use shakedown_campaign::AnyTarget;

/// The authors' unit tests, with their filters.
const PAPER: [(&str, usize); 34] = [
    ("Liveness", 5),
    ("LivenessNoCQ", 5),
    ("NoLiveness", 5),
    ("ConfChangeBug", 5),
    ("DropHeartbeat", 2),
    ("DropVotes", 1),
    ("DropFVotes", 1),
    ("DropAppend", 1),
    ("ReVote", 2),
    ("ManyReVote", 2),
    ("MultiReVote", 2),
    ("ExpectUnlock", 3),
    ("Relocked", 4),
    ("LockedCommit", 3),
    ("LaggingReplica", 3),
    ("ForeverLaggingReplica", 5),
    ("RoundSkip", 3),
    ("BlockVotes", 2),
    ("PrecommitInvariant", 1),
    ("CommitAfterRoundSkip", 3),
    ("DifferentDecisions", 8),
    ("NilPrevotes", 2),
    ("ProposalNilPrevote", 1),
    ("NotNilDecide", 2),
    ("GarbledMessage", 1),
    ("HigherRound", 1),
    ("DPropForP", 2),
    ("DPropSame", 2),
    ("DropWrite", 1),
    ("DropWriteForP", 1),
    ("ExpectNewEpoch", 1),
    ("ExpectStop", 1),
    ("ByzLeaderChange", 3),
    ("PrevEpochProposal", 2),
];

#[test]
fn no_scenario_has_more_filters_than_that_of_the_authors() {
    let targets: [Box<dyn AnyTarget>; 3] = [
        Box::new(shakedown_raft::target()),
        Box::new(shakedown_tendermint::target()),
        Box::new(shakedown_pbft::target()),
    ];
    let infos: Vec<_> = targets.iter().flat_map(|target| &target.info().scenarios).collect();
    let names: Vec<_> = infos.iter().map(|info| info.name).collect();
    assert_eq!(names, PAPER.map(|(name, _)| name), "the scenarios are in the order of the paper");
    for (info, (name, most)) in infos.iter().zip(PAPER) {
        assert!(
            info.filters.len() <= most,
            "{name} has {} filters, the authors' has {most}",
            info.filters.len()
        );
    }
}
