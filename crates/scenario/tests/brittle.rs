//! A protocol whose decoder panics of what it cannot read: to a scenario, such contents are as good as
//! unreadable.

use std::any::Any;
use std::sync::Arc;

use shakedown_cluster::{
    Cluster, Context, Contract, InProcess, Message, MessageIndex, Node, NodeId, Options, Recording, Refusal,
    Setup, Step,
};
use shakedown_explore::{Execution, Insight, Sight, Strategy};
use shakedown_scenario::{IterationReport, Monitor, MonitorOptions, Scenario, garble, is_send, when};

#[derive(Clone, Debug)]
struct Glass;

impl Message for Glass {
    fn kind(&self) -> &'static str {
        "Glass"
    }

    fn decode(text: &str) -> Result<Glass, String> {
        panic!("`{text}` is too much")
    }
}

/// Sends something to n2 at every tick.
struct Sender;

impl Node for Sender {
    type Message = Glass;
    type Request = ();
    type Answer = ();
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Sender
    }

    fn receive(&mut self, _from: NodeId, _message: Glass, _ctx: &mut Context<'_, Self>) {}

    fn tick(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.send(NodeId::new(2), Glass);
    }

    fn observe(&self) {}
}

struct Contents<'a>(&'a InProcess<Sender>);

impl Insight for Contents<'_> {
    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        self.0.contents(message)
    }
}

struct TickOnce;

impl Strategy for TickOnce {
    fn next(&mut self, sight: &Sight<'_>) -> Option<Step> {
        sight.board().steps().is_empty().then_some(Step::Tick(NodeId::new(1)))
    }
}

#[test]
fn contents_that_make_the_decoder_panic_are_unreadable() {
    let setup = Setup {
        nodes: 2,
        contract: Contract { byzantine_max: 1, ..Contract::asynchronous() },
        options: Arc::new(Options::default()),
        workload: Vec::new(),
        steps: 10,
        seed: 1,
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<Sender>::boot(&setup).expect("it boots");
    let scenario = Scenario::<Glass>::new("brittle").filter(when(is_send()).then(garble(4)));
    let execution = Execution { number: 0, seed: 1, steps_max: 10 };
    let clauses = Arc::new([]);
    let options = MonitorOptions::default();
    let mut monitor = Monitor::new(Arc::new(scenario), clauses, options, Box::new(TickOnce), &execution, 2);
    let mut refused = Vec::new();
    while let Some(step) = monitor.next(&Sight::new(cluster.board(), &Contents(&cluster))) {
        refused.extend(cluster.perform(&step).err());
    }
    assert!(matches!(&refused[..], [Refusal::Malformed(_)]), "{refused:?}");
    let trace = Box::new(cluster).finish();
    let report = Box::new(monitor).experience(&trace).downcast::<IterationReport>().expect("a report");
    assert_eq!((report.undecodable, report.refused), (1, 0));
}
