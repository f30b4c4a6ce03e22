//! In omnipaxos 0.2.2 two servers decide differently: a new leader moves its decided index before it adopts
//! the log of a promise, and so puts entries that follow its old decided index after the new one.

use shakedown::Test;
use shakedown::campaign::Sameness;
use shakedown::cluster::Recording;
use shakedown_omnipaxos::target;

#[test]
fn random_walks_find_that_two_servers_decide_differently_within_two_thousand_executions() {
    for seed in 1..=5 {
        // The decided index goes back in this version too, and sooner; here it is agreement that counts.
        let test = Test::new(target()).seed(seed).executions(2_000).set("oracles", "agreement");
        let finding = test.expect_violation("agreement");
        let failure = &finding.failure;
        let (found, shrunk) = (failure.found.steps, failure.schedule.steps.len());
        println!("seed {seed}: execution {}, {found} steps, shrunk to {shrunk}", failure.found.execution);
        for _ in 0..100 {
            let replayed = failure.replay(&target(), Recording::Brief).expect("it replays");
            assert_eq!(replayed.same, Sameness::Exact);
        }
    }
}
