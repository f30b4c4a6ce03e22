//! Scripted clusters: nodes that send what a script says, so that the partial order of messages is known
//! beforehand.

use std::cell::RefCell;

use shakedown_cluster::{
    Cluster, Context, Contract, Happening, InProcess, Message, MessageIndex, Node, NodeId, Recording, Setup,
    StepKind,
};
use shakedown_explore::{Execution, Explorer, Sight, Weights};

/// A message of a script: who sends it to whom, once the sender has received all of `after`.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub from: usize,
    pub to: usize,
    pub after: &'static [usize],
}

pub type Script = &'static [Line];

thread_local! {
    static SCRIPT: RefCell<Script> = const { RefCell::new(&[]) };
}

#[derive(Clone, Debug)]
pub struct Mark(usize);

impl Message for Mark {
    fn kind(&self) -> &'static str {
        "Mark"
    }
}

struct Actor {
    received: Vec<usize>,
    sent: Vec<usize>,
}

impl Actor {
    fn act(&mut self, ctx: &mut Context<'_, Self>) {
        let script = SCRIPT.with_borrow(|script| *script);
        for (number, line) in script.iter().enumerate() {
            let ready = line.after.iter().all(|before| self.received.contains(before));
            if line.from == ctx.id().number() && ready && !self.sent.contains(&number) {
                self.sent.push(number);
                ctx.send(NodeId::new(line.to), Mark(number));
            }
        }
    }
}

impl Node for Actor {
    type Message = Mark;
    type Request = ();
    type Answer = ();
    type State = usize;
    type Disk = ();

    fn boot(_disk: &(), ctx: &mut Context<'_, Self>) -> Self {
        let mut actor = Actor { received: Vec::new(), sent: Vec::new() };
        actor.act(ctx);
        actor
    }

    fn receive(&mut self, _from: NodeId, Mark(number): Mark, ctx: &mut Context<'_, Self>) {
        self.received.push(number);
        self.act(ctx);
    }

    fn observe(&self) -> usize {
        self.received.len()
    }
}

/// Weights by which nothing happens but deliveries.
pub fn deliveries() -> Weights {
    StepKind::ALL
        .into_iter()
        .fold(Weights::default(), |weights, kind| weights.with(kind, u32::from(kind == StepKind::Deliver)))
}

/// The order in which the messages of the script are delivered, as numbers of its lines.
pub fn run(script: Script, explorer: &dyn Explorer, seed: u64) -> Vec<usize> {
    run_without(script, explorer, seed, None)
}

/// The same when one message is kept back from the strategy.
pub fn run_without(
    script: Script,
    explorer: &dyn Explorer,
    seed: u64,
    withheld: Option<MessageIndex>,
) -> Vec<usize> {
    SCRIPT.set(script);
    let nodes = script.iter().map(|line| line.from.max(line.to)).max().expect("a script has lines");
    let setup = Setup {
        nodes,
        contract: Contract::reliable(),
        options: Default::default(),
        workload: Vec::new(),
        seed,
        recording: Recording::Full,
        steps: 100,
    };
    let mut cluster = InProcess::<Actor>::boot(&setup).expect("actors boot");
    let mut strategy = explorer.strategy(&Execution { number: 0, seed, steps_max: 1_000 });
    loop {
        let sight = Sight::of(cluster.board());
        let free: Vec<_> =
            sight.deliverable().iter().copied().filter(|&message| Some(message) != withheld).collect();
        let sight = if withheld.is_some() { sight.narrowed(&free) } else { sight };
        let Some(step) = strategy.next(&sight) else { break };
        cluster.perform(&step).expect("strategies choose possible steps");
    }
    let trace = Box::new(cluster).finish();
    let number =
        |text: &String| text["Mark(".len()..text.len() - 1].parse::<usize>().expect("a mark has a number");
    let received = |event: shakedown_cluster::Event<'_>| match event.what {
        Happening::Received(index) => Some(number(&trace.message_texts[index.index()])),
        _ => None,
    };
    trace.board.events().filter_map(received).collect()
}
