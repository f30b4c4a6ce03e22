//! openraft 0.9.25: what it passes, and the stop that a buffered disk brings about.

use shakedown::Test;
use shakedown::campaign::Sameness;
use shakedown::cluster::Recording;
use shakedown_openraft::target;

#[test]
fn a_thousand_random_walks_find_nothing() {
    Test::new(target()).executions(1_000).jobs(2).run();
}

#[test]
fn a_node_stops_for_good_when_a_follower_with_a_higher_vote_answers_while_the_log_is_flushed() {
    let finding = Test::new(target())
        .steps(800)
        .requests(20)
        .crashes(0)
        .set("buffered", true)
        .executions(4_000)
        .jobs(2)
        .expect_violation("never-stops");
    let failure = &finding.failure;
    assert!(failure.violation.reason.contains("replication channel closed"), "{}", failure.violation.reason);
    println!("execution {}, {} steps, shrunk to {}", failure.found.execution, failure.found.steps, failure.schedule.steps.len());
    for _ in 0..100 {
        let replayed = failure.replay(&target(), Recording::Brief).expect("it replays");
        assert_eq!(replayed.same, Sameness::Exact);
    }
}
