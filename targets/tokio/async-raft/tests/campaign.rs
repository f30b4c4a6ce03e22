//! async-raft 0.6.1 on tokio as it is: repeatable, and what is found.

use shakedown::campaign::{Campaign, Silent};
use shakedown_async_raft::target;

fn fingerprint(strategy: &str, jobs: usize) -> String {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    (campaign.plan.executions, campaign.jobs, campaign.plan.seed) = (20, jobs, 7);
    (campaign.plan.check_determinism, campaign.plan.keep_going, campaign.plan.shrink) = (true, true, None);
    let summary = campaign.run(&Silent).expect("it runs");
    let is_repeatable = summary.findings.iter().all(|f| f.failure.violation.property != "determinism");
    assert!(is_repeatable, "{strategy}: two runs of one execution differ");
    summary.fingerprint.to_string()
}

#[test]
fn every_execution_is_the_same_twice_and_with_any_number_of_jobs() {
    for strategy in ["random", "pctcp"] {
        assert_eq!(fingerprint(strategy, 1), fingerprint(strategy, 2), "{strategy}");
    }
}

/// An entry is applied a second time, and nodes come to different results. Which of the two shows first is a
/// matter of the seed, so all findings of a campaign are looked at.
#[test]
fn entries_are_applied_twice_and_results_differ() {
    let target = target();
    let mut campaign = Campaign::new(&target);
    (campaign.plan.executions, campaign.jobs, campaign.plan.seed) = (200, 2, 1);
    (campaign.plan.keep_going, campaign.plan.shrink) = (true, None);
    let summary = campaign.run(&Silent).expect("it runs");
    let found: Vec<&str> = summary.findings.iter().map(|f| f.failure.violation.property.as_str()).collect();
    assert!(found.contains(&"applied-once"), "{found:?}");
    assert!(found.contains(&"state-machine-safety"), "{found:?}");
}
