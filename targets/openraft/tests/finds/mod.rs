//! Finds a violation, shortens it and replays it a hundred times.

use shakedown::campaign::{Campaign, Sameness, ShrinkLimits, Silent};
use shakedown::cluster::Recording;
use shakedown_openraft::target;

/// Expects that this property, and none before it, is violated within as many executions; gives the reason.
pub fn find(property: &str, executions: u64, change: impl FnOnce(&mut Campaign<'_>)) -> String {
    let target = target();
    let mut campaign = Campaign::new(&target);
    (campaign.plan.executions, campaign.jobs) = (executions, 2);
    // To the end it would take up to a minute.
    campaign.plan.shrink = Some(ShrinkLimits { executions: 1_000, time: None });
    change(&mut campaign);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let failure = match summary.findings.first() {
        Some(finding) => &finding.failure,
        None => panic!("{property} was not violated in {} executions", summary.executions),
    };
    assert_eq!(failure.violation.property, property, "{}", failure.violation.reason);
    let (found, shrunk) = (failure.found.steps, failure.schedule.steps.len());
    println!("execution {}, {found} steps, shrunk to {shrunk}", failure.found.execution);
    assert!(shrunk < found, "{shrunk} steps of {found}");
    for _ in 0..100 {
        let replayed = failure.replay(&target, Recording::Brief).expect("it replays");
        assert_eq!(replayed.same, Sameness::Exact);
    }
    failure.violation.reason.clone()
}

/// Sets options of the target.
pub fn set(campaign: &mut Campaign<'_>, options: &[(&str, &str)]) {
    options.iter().for_each(|(name, value)| campaign.plan.config.options.set(*name, value));
}
