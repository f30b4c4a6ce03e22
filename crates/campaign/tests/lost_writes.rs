//! Shrinking where crashes lose writes: what was written only to survive goes.

use shakedown_campaign::{AnyTarget, Beat, Failure, Found, ShrinkLimits, Target, Violation, shrink};
use shakedown_check::{Seen, invariant};
use shakedown_cluster::{
    Context, Contract, Crashes, Disk, DiskModel, Message, Node, NodeId, RequestId, Schedule, Step,
};

/// Writes down every request, and never flushes.
struct Scribe(usize);

#[derive(Clone, Debug)]
enum Nothing {}

impl Message for Nothing {
    fn kind(&self) -> &'static str {
        match *self {}
    }
}

#[derive(Clone, Default)]
struct Lines(usize);

impl Disk for Lines {
    type Write = ();

    fn apply(&mut self, (): ()) {
        self.0 += 1;
    }
}

impl Node for Scribe {
    type Message = Nothing;
    type Request = u64;
    type Answer = ();
    type State = usize;
    type Disk = Lines;

    fn boot(disk: &Lines, _ctx: &mut Context<'_, Self>) -> Self {
        Scribe(disk.0)
    }

    fn receive(&mut self, _from: NodeId, message: Nothing, _ctx: &mut Context<'_, Self>) {
        match message {}
    }

    fn request(&mut self, _id: RequestId, _request: u64, ctx: &mut Context<'_, Self>) {
        self.0 += 1;
        ctx.write(());
    }

    fn observe(&self) -> usize {
        self.0
    }
}

/// Violated if both nodes have lost something, and both have kept as much.
fn lost_alike(seen: &Seen<'_, usize>) -> Result<(), String> {
    let asked = |node| seen.board().requests().iter().filter(|request| request.node == node).count();
    let has_lost = |(node, lines): (NodeId, &usize)| *lines < asked(node);
    let states = seen.states();
    match seen.up().filter(|state| has_lost(*state)).count() == 2 && states[0] == states[1] {
        true => Err(format!("both are left with {}", states[0])),
        false => Ok(()),
    }
}

#[test]
fn writes_that_survive_crashes_go_and_then_what_made_them() {
    let contract = Contract { crashes: Crashes::All, disk: DiskModel::Buffered, ..Contract::reliable() };
    let target = Target::<Scribe>::new("scribes")
        .nodes(2)
        .contract(contract)
        .requests(6, |number, _| number as u64)
        .crashes(2)
        .oracles(|_| vec![invariant("not-lost-alike", lost_alike)]);
    let violation = Violation { property: "not-lost-alike".to_owned(), reason: String::new() };
    let found = Found {
        strategy: "random".to_owned(),
        of: None,
        mix: None,
        campaign_seed: 1,
        execution: 0,
        steps: 10,
        shrunk: false,
    };
    let mut failure = Failure::new(&target, target.defaults(), 1, violation, found, None);
    let asked = (0..6).map(|number| format!("request n{} {number}", 1 + number % 2));
    let crashes = ["crash n1 keep 2", "restart n1", "crash n2 keep 2", "restart n2"].map(str::to_owned);
    let steps = asked.chain(crashes).map(|text| text.parse::<Step>().expect("a step"));
    failure.schedule = Schedule { steps: steps.collect() };

    // Few executions, so that no detour can find it by chance.
    let limits = ShrinkLimits { executions: 100, time: None };
    let shrunk = shrink(&target, &failure, limits, &Beat::default()).failure;
    let steps: Vec<_> = shrunk.schedule.steps.iter().map(ToString::to_string).collect();
    let expected = ["request n1 0", "request n2 1", "crash n1", "restart n1", "crash n2", "restart n2"];
    assert_eq!(steps, expected);
    assert_eq!(shrunk.violation.reason, "both are left with 0");
}
