//! In omnipaxos 0.2.3 the decided index of a server goes back: a leader that finished its Prepare phase
//! without the promise of a follower that had decided more sends it an AcceptSync with a smaller decided
//! index.

use shakedown::Test;
use shakedown::campaign::Sameness;
use shakedown::cluster::Recording;
use shakedown_omnipaxos::target;

#[test]
fn random_walks_find_that_the_decided_index_goes_back_within_two_thousand_executions() {
    for seed in 1..=5 {
        let finding =
            Test::new(target()).seed(seed).executions(2_000).expect_violation("decided-never-goes-back");
        let failure = &finding.failure;
        let (found, shrunk) = (failure.found.steps, failure.schedule.steps.len());
        println!("seed {seed}: execution {}, {found} steps, shrunk to {shrunk}", failure.found.execution);
        for _ in 0..100 {
            let replayed = failure.replay(&target(), Recording::Brief).expect("it replays");
            assert_eq!(replayed.same, Sameness::Exact);
        }
    }
}

#[test]
fn the_model_says_which_conjunct_the_decided_index_breaks() {
    let finding = Test::new(target())
        .set("oracles", "agreement")
        .set("conformance", true)
        .executions(2_000)
        .expect_violation("conforms-to-the-model");
    let reason = &finding.failure.violation.reason;
    assert!(reason.contains("AcceptSyncHandled"), "{reason}");
    assert!(reason.contains("decided'[i] = s.decided"), "{reason}");
}
