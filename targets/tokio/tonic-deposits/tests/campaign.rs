//! The account behind gRPC: what is found when every try has a key of its own.

use shakedown::Test;
use shakedown::campaign::{Campaign, Sameness, ShrinkLimits, Silent};
use shakedown::cluster::Recording;
use shakedown_tonic_deposits::target;

#[test]
fn one_key_for_all_tries_makes_them_safe() {
    Test::new(target()).executions(60).jobs(2).check_determinism().run();
}

#[test]
fn a_reply_that_is_lost_deposits_twice_where_every_try_has_its_key() {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.config.options.set("key_per_try", true);
    campaign.plan.executions = 500;
    // Enough to see that it gets short.
    campaign.plan.shrink = Some(ShrinkLimits { executions: 500, time: None });
    let summary = campaign.run(&Silent).expect("it runs");
    let finding = summary.findings.first().expect("it is found");
    assert_eq!(finding.failure.violation.property, "deposited-once");
    let (found, shrunk) = (finding.failure.found.steps, finding.failure.schedule.steps.len());
    assert!(shrunk < found, "{shrunk} steps of {found}");
    let replayed = finding.failure.replay(&target, Recording::Brief).expect("it can be replayed");
    assert_eq!(replayed.same, Sameness::Exact);
}
