//! What campaigns find in raft 0.7.0, and what they do not.

use shakedown::Test;
use shakedown::campaign::Sameness;
use shakedown::cluster::Recording;
use shakedown_raft::target;

/// Upstream issue 555: a rejection that arrives late takes a peer's next index back to what is matched
/// already.
#[test]
fn random_walks_find_a_progress_below_its_match_within_twenty_thousand_executions() {
    for seed in 1..=3 {
        let test = Test::new(target()).seed(seed).executions(20_000);
        let finding = test.expect_violation("progress-next-above-match");
        let failure = &finding.failure;
        let (found, shrunk) = (failure.found.steps, failure.schedule.steps.len());
        println!("seed {seed}: execution {}, {found} steps, shrunk to {shrunk}", failure.found.execution);
        assert!(shrunk <= 40, "{shrunk} steps are not easy to read");
        for _ in 0..100 {
            let replayed = failure.replay(&target(), Recording::Brief).expect("it replays");
            assert_eq!(replayed.same, Sameness::Exact);
        }
    }
}

/// The library leaves it to its user to stop a leader that was removed (upstream issue 373). A user who does
/// not do it has a node that panics.
#[test]
fn a_removed_leader_that_goes_on_panics() {
    let test = Test::new(target()).executions(2_000).steps(600).requests(16);
    let test =
        test.set("membership", true).set("step_down_when_removed", false).set("library_invariants", false);
    let finding = test.expect_violation("panic at raft-0.7.0/src/raft.rs:943:18");
    assert!(finding.failure.violation.reason.contains("Option::unwrap()"), "{}", finding.failure.violation);
}

#[test]
fn rafts_invariants_hold_with_every_option() {
    for (pre_vote, check_quorum) in [(false, false), (true, false), (false, true), (true, true)] {
        for disk in ["synchronous", "buffered"] {
            for membership in [false, true] {
                Test::new(target())
                    .executions(200)
                    .set("pre_vote", pre_vote)
                    .set("check_quorum", check_quorum)
                    .set("disk", disk)
                    .set("membership", membership)
                    .set("library_invariants", false)
                    .run();
            }
        }
    }
}
