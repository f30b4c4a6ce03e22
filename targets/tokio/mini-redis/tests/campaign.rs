//! mini-redis 0.4.1, server and client, on tokio as it is.

use shakedown::Test;
use shakedown::campaign::{Campaign, Silent};
use shakedown_mini_redis::target;

#[test]
fn every_execution_is_the_same_twice_and_linearizable() {
    Test::new(target()).executions(50).jobs(2).check_determinism().run();
}

#[test]
fn commands_in_pieces_are_put_together() {
    Test::new(target()).set("segment", 3).steps(1_000).executions(20).check_determinism().run();
}

/// A write that is tried again takes effect a second time, after the writes of others.
#[test]
fn retries_of_writes_break_linearizability() {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.config.options.set("retries", true);
    (campaign.plan.executions, campaign.jobs, campaign.plan.shrink) = (5_000, 2, None);
    let summary = campaign.run(&Silent).expect("it runs");
    let found: Vec<&str> = summary.findings.iter().map(|f| f.failure.violation.property.as_str()).collect();
    assert_eq!(found, ["linearizability"]);
}
