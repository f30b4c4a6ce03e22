//! One cause is one finding: blocking conjuncts tell findings of one property apart, other reasons are
//! counted.

use shakedown_campaign::{Campaign, Cause, Finding, ShrinkLimits, Silent, Summary, Target};
use shakedown_check::{Seen, invariant};
use shakedown_cluster::Contract;
use shakedown_toys::Ticker;

/// Fails when any node has ticked three times. The reason names the node, as a conjunct of a specification or
/// as words.
fn target(is_exact: bool) -> Target<Ticker> {
    Target::<Ticker>::new("three-ticks").contract(Contract::asynchronous()).nodes(3).steps(20).oracles(
        move |_| {
            vec![invariant("below-three", move |seen: &Seen<'_, u64>| {
                let Some((node, count)) = seen.up().find(|(_, count)| **count >= 3) else { return Ok(()) };
                let line = node.index() + 1;
                match is_exact {
                    true => {
                        Err(format!("the model does not allow Tick({count}) here: `Allowed` (Toy:{line}:5)"))
                    }
                    false if line == 1 => Err(format!("n1 leads and ticked {count} times")),
                    false => Err(format!("{node} follows and ticked {count} times")),
                }
            })]
        },
    )
}

fn run(target: &Target<Ticker>, jobs: usize) -> Summary {
    let mut campaign = Campaign::new(target);
    (campaign.plan.keep_going, campaign.plan.executions, campaign.jobs) = (true, 60, jobs);
    campaign.plan.shrink = Some(ShrinkLimits { executions: 500, time: None });
    campaign.run(&Silent).expect("the campaign runs")
}

fn counts(finding: &Finding) -> Vec<(&str, u64)> {
    finding.causes.iter().map(|(cause, count)| (cause.as_str(), *count)).collect()
}

#[test]
fn every_blocking_conjunct_is_a_finding_that_keeps_its_cause_while_it_shrinks() {
    let target = target(true);
    let summary = run(&target, 1);
    let mut causes: Vec<_> =
        summary.findings.iter().map(|finding| Cause::of(&finding.failure.violation).label()).collect();
    causes.sort();
    let expected = [1, 2, 3].map(|line| format!("below-three: `Allowed` (Toy:{line}:5)"));
    assert_eq!(causes, expected);
    for finding in &summary.findings {
        let cause = Cause::of(&finding.failure.violation).label();
        assert_eq!(counts(finding), [(cause.as_str(), finding.hits)]);
        assert_eq!(finding.failure.schedule.steps.len(), 3, "three ticks of that node");
    }
    assert_eq!(summary.findings.iter().map(|finding| finding.hits).sum::<u64>(), summary.failed);
}

#[test]
fn reasons_that_differ_in_words_are_counted_for_one_finding() {
    let target = target(false);
    let summary = run(&target, 1);
    let [finding] = &summary.findings[..] else { panic!("{} findings", summary.findings.len()) };
    let counts = counts(finding);
    let names: Vec<_> = counts.iter().map(|(cause, _)| *cause).collect();
    assert_eq!(
        names,
        ["below-three: n# follows and ticked # times", "below-three: n# leads and ticked # times"]
    );
    assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), summary.failed);
    assert_eq!(finding.hits, summary.failed);
}

#[test]
fn jobs_never_change_what_is_counted() {
    let target = target(true);
    let seen = |summary: Summary| -> Vec<_> {
        summary.findings.into_iter().map(|finding| (finding.failure, finding.hits, finding.causes)).collect()
    };
    assert_eq!(seen(run(&target, 3)), seen(run(&target, 1)));
}
