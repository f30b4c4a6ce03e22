//! Code of a target that panics where nobody expects it: a finding or an unknown verdict, never the end of
//! the campaign.

use shakedown_campaign::{Campaign, Silent, Summary, Target};
use shakedown_cluster::{Context, Contract, Crashes, Message, Node, NodeId, StepKind};

/// Sends a message at every tick. It cannot be dropped while it is armed.
struct Mine {
    is_armed: bool,
}

/// It cannot be copied.
#[derive(Debug)]
struct Glass;

impl Clone for Glass {
    fn clone(&self) -> Glass {
        panic!("it broke")
    }
}

impl Message for Glass {
    fn kind(&self) -> &'static str {
        "Glass"
    }
}

impl Node for Mine {
    type Message = Glass;
    type Request = ();
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        Mine { is_armed: ctx.options().get("armed").expect("the option is there") }
    }

    fn receive(&mut self, _from: NodeId, _message: Glass, _ctx: &mut Context<'_, Self>) {}

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        for peer in ctx.peers() {
            ctx.send(peer, Glass);
        }
    }

    fn observe(&self) -> u64 {
        0
    }
}

impl Drop for Mine {
    fn drop(&mut self) {
        if self.is_armed {
            panic!("it went off")
        }
    }
}

/// What comes of a campaign with this kind of fault and this strategy.
fn run(target: &Target<Mine>, fault: StepKind, strategy: &str) -> Summary {
    let mut campaign = Campaign::new(target);
    (campaign.plan.executions, campaign.plan.strategy) = (5, strategy.parse().expect("this is a strategy"));
    for kind in [StepKind::Duplicate, StepKind::Crash] {
        campaign.plan.weights = campaign.plan.weights.clone().with(kind, if kind == fault { 20 } else { 0 });
    }
    campaign.run(&Silent).expect("the campaign runs")
}

fn target() -> Target<Mine> {
    let contract = Contract { crashes: Crashes::Minority, duplication: true, ..Contract::asynchronous() };
    Target::<Mine>::new("mine").contract(contract).crashes(1).option("armed", false, "it cannot be dropped")
}

#[test]
fn a_message_that_cannot_be_copied_is_a_finding() {
    let summary = run(&target(), StepKind::Duplicate, "random");
    let violation = &summary.findings[0].failure.violation;
    assert!(violation.property.starts_with("panic at "), "{violation}");
    assert!(violation.reason.contains("it broke"), "{violation}");
}

#[test]
fn a_colour_that_panics_leaves_the_verdict_open() {
    let target = target().colour(|_: &u64| panic!("no paint"));
    let summary = run(&target, StepKind::Crash, "bonusmax");
    assert_eq!((summary.executions, summary.failed, summary.unknown), (5, 0, 5));
    let reason = summary.unknown_reason.expect("there is a reason");
    assert!(reason.starts_with("a panic outside of nodes and oracles: no paint (crates/"), "{reason}");
}

#[test]
fn a_node_that_panics_when_it_goes_is_a_finding() {
    let target = target();
    let mut campaign = Campaign::new(&target);
    campaign.plan.executions = 5;
    campaign.plan.config.options.set("armed", true);
    let summary = campaign.run(&Silent).expect("the campaign runs");
    let violation = &summary.findings[0].failure.violation;
    assert!(violation.reason.contains("panicked in its drop: it went off"), "{violation}");
    assert_eq!(summary.findings[0].failure.schedule.steps.len(), 0, "the end of the execution is enough");
    let none = run(&target, StepKind::Crash, "random");
    assert_eq!((none.executions, none.failed, none.unknown), (5, 0, 0));
}
