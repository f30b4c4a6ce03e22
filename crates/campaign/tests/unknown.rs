//! An oracle that cannot tell makes the verdict unknown, which is neither a pass nor a failure.

use shakedown_campaign::{AnyTarget, Beat, Campaign, Silent, Target, Verdict, execute};
use shakedown_check::{Doubt, Oracle, Seen};
use shakedown_cluster::Recording;
use shakedown_explore::{Sight, Strategy};
use shakedown_toys::teller;

/// Says the same at every end.
struct Says(&'static str, Result<(), Doubt>);

impl Oracle<u64> for Says {
    fn name(&self) -> &str {
        self.0
    }

    fn after_step(&mut self, _seen: &Seen<'_, u64>) -> Result<(), String> {
        Ok(())
    }

    fn at_end(&mut self, _seen: &Seen<'_, u64>) -> Result<(), Doubt> {
        self.1.clone()
    }
}

/// Does nothing.
struct Idle;

impl Strategy for Idle {
    fn next(&mut self, _sight: &Sight<'_>) -> Option<shakedown_cluster::Step> {
        None
    }
}

/// The name of an oracle, and what it says.
type Saying = (&'static str, fn() -> Result<(), Doubt>);

fn saying(doubts: &'static [Saying]) -> Target<shakedown_toys::Teller> {
    teller().oracles(|_| {
        let says = |(name, doubt): &Saying| Box::new(Says(name, doubt())) as Box<dyn Oracle<u64>>;
        doubts.iter().map(says).collect()
    })
}

fn verdict(target: &dyn AnyTarget) -> Verdict {
    let config = Campaign::new(target).plan.config;
    let live = target.begin(&config, 1, Recording::Brief).expect("it begins");
    execute(live, &mut Idle, 10, &Beat::default()).verdict
}

fn well() -> Result<(), Doubt> {
    Ok(())
}

fn open() -> Result<(), Doubt> {
    Err(Doubt::Unknown("the search was given up".to_owned()))
}

fn wrong() -> Result<(), Doubt> {
    Err("it is wrong".to_owned().into())
}

#[test]
fn an_oracle_that_cannot_tell_makes_the_verdict_unknown() {
    let target = saying(&[("first", well), ("second", open), ("third", open)]);
    assert_eq!(verdict(&target), Verdict::Unknown("second: the search was given up".to_owned()));
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 5;
    let summary = campaign.run(&Silent).expect("the campaign runs");
    assert_eq!((summary.failed, summary.unknown), (0, 5), "it is neither a failure nor a pass");
}

#[test]
fn a_violation_counts_more_than_what_could_not_be_told() {
    let target = saying(&[("first", open), ("second", wrong)]);
    match verdict(&target) {
        Verdict::Fail(violation) => assert_eq!(violation.to_string(), "second: it is wrong"),
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_inconclusive_is_counted_for_its_property_only() {
    let target = saying(&[("well", well), ("open", open)]);
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 5;
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let numbers: Vec<_> = summary
        .properties
        .tallies
        .iter()
        .map(|row| (row.name.as_str(), row.premise, row.held, row.inconclusive))
        .collect();
    assert_eq!(numbers, [("well", 5, 5, 0), ("open", 5, 0, 5), ("no-panic", 5, 5, 0)]);
}
