//! What holds of shrinking: jobs never change its result, it goes on from where it ended, and it reports what
//! it comes to early.

use std::sync::Mutex;
use std::time::Duration;

use shakedown_campaign::{Campaign, Failure, Progress, ShrinkLimits, Silent, Target, shrink_side_by_side};
use shakedown_cluster::Node;
use shakedown_toys::teller;

const STEP_TIME: Duration = Duration::from_secs(30);

/// A failure as it was found, not shrunk.
fn found<N: Node + 'static>(target: &Target<N>) -> Failure {
    let mut campaign = Campaign::new(target);
    campaign.plan.shrink = None;
    campaign.plan.config.options.set("bound", 10);
    let mut summary = campaign.run(&Silent).expect("the campaign runs");
    summary.findings.remove(0).failure
}

fn limits(executions: u64) -> ShrinkLimits {
    ShrinkLimits { executions, time: None }
}

#[test]
fn jobs_never_change_what_shrinking_comes_to() {
    let target = teller();
    let failure = found(&target);
    // Cut short in the quick passes, in the detours, and not at all.
    for executions in [7, 900, 1_000_000] {
        let by =
            |jobs| shrink_side_by_side(&target, &failure, limits(executions), jobs, STEP_TIME, None, &Silent);
        let one = by(1);
        for jobs in [2, 4] {
            let many = by(jobs);
            assert_eq!(many.failure, one.failure, "{jobs} jobs, {executions} executions");
            assert_eq!(
                (many.executions, many.fruitless, many.cut_short),
                (one.executions, one.fruitless, one.cut_short),
                "{jobs} jobs"
            );
        }
    }
}

#[test]
fn jobs_never_change_the_shrunk_findings_of_a_campaign() {
    let target = teller();
    let shrunk = |jobs| {
        let mut campaign = Campaign::new(&target);
        (campaign.jobs, campaign.plan.shrink) = (jobs, Some(limits(2_000)));
        campaign.plan.config.options.set("bound", 10);
        let mut summary = campaign.run(&Silent).expect("the campaign runs");
        let finding = summary.findings.remove(0);
        (finding.failure, finding.shrink_executions)
    };
    let one = shrunk(1);
    assert_eq!(shrunk(2), one);
    assert_eq!(shrunk(4), one);
}

#[test]
fn shrinking_goes_on_from_what_it_came_to_and_never_gets_longer() {
    let target = teller();
    let failure = found(&target);
    let mut now = failure;
    for round in 0..40 {
        let before = now.schedule.steps.len();
        let shrunk = shrink_side_by_side(&target, &now, limits(60), 1, STEP_TIME, None, &Silent);
        assert_eq!(shrunk.cut_short, Some("the limit of executions"), "round {round}");
        now = shrunk.failure;
        assert!(now.schedule.steps.len() <= before, "round {round}");
    }
    let resumed = shrink_side_by_side(&target, &now, limits(1_000_000), 1, STEP_TIME, None, &Silent);
    assert_eq!(resumed.cut_short, None);
    assert!(resumed.failure.schedule.steps.len() <= now.schedule.steps.len());
    assert!(resumed.fruitless >= 40_000, "{}", resumed.fruitless);
}

/// Collects what is reported while a failure is shrunk.
#[derive(Default)]
struct Heard(Mutex<Vec<(usize, u64)>>);

impl Progress for Heard {
    fn shrunk(&self, failure: &Failure, executions: u64) {
        self.0.lock().expect("no test panics here").push((failure.schedule.steps.len(), executions));
    }
}

#[test]
fn the_first_short_schedule_is_reported_before_the_search_is_over() {
    let target = teller();
    let failure = found(&target);
    let heard = Heard::default();
    let shrunk = shrink_side_by_side(&target, &failure, limits(1_000_000), 1, STEP_TIME, None, &heard);
    let heard = heard.0.into_inner().expect("no test panics here");
    let [(steps, executions)] = heard[..] else { panic!("it is reported once, not {} times", heard.len()) };
    assert!(steps < failure.schedule.steps.len() && steps >= shrunk.failure.schedule.steps.len());
    assert!(executions < shrunk.executions / 2, "{executions} of {}", shrunk.executions);
    assert!(shrunk.fruitless > 0 && shrunk.fruitless < shrunk.executions);
}
