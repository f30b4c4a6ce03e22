//! openraft on the runtime is repeatable: every strategy, both orders of tasks, both kinds of disks and
//! timers, one and two jobs.

use shakedown::campaign::{Campaign, CampaignError, Silent};
use shakedown::explore::STRATEGIES;
use shakedown_openraft::target;

const VARIANTS: [&[(&str, &str)]; 4] = [
    &[],
    &[("tasks", "drawn"), ("membership", "true")],
    &[("buffered", "true"), ("tasks", "drawn")],
    &[("anytime", "true"), ("buffered", "true"), ("membership", "true")],
];

/// What stands for everything that a campaign did, in which every execution runs twice; nothing where the
/// strategy does not fit the target.
fn fingerprint(strategy: &str, options: &[(&str, &str)], jobs: usize) -> Option<String> {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.strategy = strategy.parse().expect("this is a strategy");
    (campaign.plan.executions, campaign.jobs, campaign.plan.seed) = (12, jobs, 7);
    (campaign.plan.check_determinism, campaign.plan.keep_going, campaign.plan.shrink) = (true, true, None);
    campaign.plan.config.steps = 300;
    options.iter().for_each(|(name, value)| campaign.plan.config.options.set(*name, value));
    match campaign.run(&Silent) {
        Ok(summary) => {
            let is_repeatable =
                summary.findings.iter().all(|f| f.failure.violation.property != "determinism");
            assert!(is_repeatable, "{strategy} with {options:?}: two runs of one execution differ");
            Some(summary.fingerprint.to_string())
        }
        Err(error) if is_ruled_out(&error) => None,
        Err(error) => panic!("{strategy}: {error}"),
    }
}

/// Strategies in rounds need a target that names its rounds.
fn is_ruled_out(error: &CampaignError) -> bool {
    let text = error.to_string();
    text.contains("contract rules out") || text.contains("does not define its rounds")
}

#[test]
fn every_strategy_does_the_same_twice_and_with_any_number_of_jobs() {
    let mut checked = 0;
    for strategy in STRATEGIES {
        for options in VARIANTS {
            let text = match strategy.name {
                "waypoint" => "waypoint:waypoints=[OneInTerm(1)]",
                name => name,
            };
            let Some(one) = fingerprint(text, options, 1) else { continue };
            assert_eq!(Some(one), fingerprint(text, options, 2), "{text} {options:?}");
            checked += 1;
        }
    }
    assert!(checked >= 24, "only {checked} combinations were checked");
}
