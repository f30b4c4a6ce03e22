//! The counter behind HTTP: what is found when replies are remembered too late.

use shakedown::Test;
use shakedown::campaign::{Campaign, Sameness, ShrinkLimits, Silent};
use shakedown::cluster::Recording;
use shakedown_http_counter::target;

#[test]
fn replies_that_are_remembered_at_once_make_retries_safe() {
    Test::new(target()).executions(100).jobs(2).check_determinism().run();
}

#[test]
fn a_reply_that_is_lost_before_it_is_remembered_adds_twice() {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.config.options.set("late", true);
    campaign.plan.executions = 2_000;
    // Enough to see that it gets short.
    campaign.plan.shrink = Some(ShrinkLimits { executions: 1_000, time: None });
    let summary = campaign.run(&Silent).expect("it runs");
    let finding = summary.findings.first().expect("it is found");
    assert_eq!(finding.failure.violation.property, "added-once");
    let steps = finding.failure.schedule.steps.len();
    assert!(steps <= 20, "it is shrunk: {steps} steps");
    let replayed = finding.failure.replay(&target, Recording::Brief).expect("it can be replayed");
    assert_eq!(replayed.same, Sameness::Exact);
}
