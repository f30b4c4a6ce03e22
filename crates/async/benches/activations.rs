//! What the executor costs: an async node against a bare node of the same logic, on the same deliveries.
//!
//! Both are measured in one run, in turns, and compared as a ratio: `cargo bench -p shakedown-async`. The
//! logic is next to nothing, so that what is left is the cost of an activation: tasks, wakers and the list of
//! effects.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_async::{Async, AsyncNode, Env};
use shakedown_cluster::{
    Cluster, Context, Contract, InProcess, Message, Node, NodeId, Options, Recording, RequestId, Setup, Step,
};

const DELIVERIES: usize = 20_000;
const ROUNDS: usize = 15;

/// A number that is sent on, or asked for and replied.
#[derive(Clone, Debug, Hash)]
enum Count {
    On(u64),
    Ask(u64),
    Reply(u64),
}

impl Message for Count {
    fn kind(&self) -> &'static str {
        match self {
            Count::On(_) => "On",
            Count::Ask(_) => "Ask",
            Count::Reply(_) => "Reply",
        }
    }
}

fn next(id: NodeId, nodes: usize) -> NodeId {
    NodeId::new(id.number() % nodes + 1)
}

/// Counts, by hand.
struct Bare(u64);

impl Node for Bare {
    type Message = Count;
    type Request = bool;
    type Answer = ();
    type State = u64;
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Bare {
        Bare(0)
    }

    fn receive(&mut self, from: NodeId, message: Count, ctx: &mut Context<'_, Self>) {
        self.0 += 1;
        match message {
            Count::On(number) => ctx.send(next(ctx.id(), 3), Count::On(number + 1)),
            Count::Ask(number) => ctx.send(from, Count::Reply(number + 1)),
            Count::Reply(number) => ctx.send(from, Count::Ask(number)),
        }
    }

    fn request(&mut self, _id: RequestId, asks: bool, ctx: &mut Context<'_, Self>) {
        let to = next(ctx.id(), 3);
        ctx.send(to, if asks { Count::Ask(0) } else { Count::On(0) });
    }

    fn observe(&self) -> u64 {
        self.0
    }
}

/// Counts, by tasks.
struct Tasks {
    env: Env<Tasks>,
    count: Cell<u64>,
}

impl AsyncNode for Tasks {
    type Message = Count;
    type Reply = u64;
    type Request = bool;
    type Answer = ();
    type State = u64;
    type Disk = ();

    async fn boot(_disk: (), env: Env<Tasks>) -> Tasks {
        Tasks { env, count: Cell::new(0) }
    }

    async fn serve(self: Rc<Self>, _from: NodeId, call: Count) -> u64 {
        self.count.set(self.count.get() + 1);
        match call {
            Count::On(number) | Count::Ask(number) | Count::Reply(number) => number + 1,
        }
    }

    async fn receive(self: Rc<Self>, _from: NodeId, message: Count) {
        self.count.set(self.count.get() + 1);
        if let Count::On(number) = message {
            self.env.send(next(self.env.id(), 3), Count::On(number + 1));
        }
    }

    async fn request(self: Rc<Self>, _id: RequestId, asks: bool) -> Option<()> {
        let to = next(self.env.id(), 3);
        if !asks {
            self.env.send(to, Count::On(0));
            return None;
        }
        let mut number = 0;
        loop {
            number = self.env.call(to, Count::Ask(number)).await.ok()?;
            self.count.set(self.count.get() + 1);
        }
    }

    fn observe(&self) -> u64 {
        self.count.get()
    }
}

fn main() {
    println!(
        "nanoseconds per activation: the best of {ROUNDS} rounds of {DELIVERIES} deliveries, in turns\n"
    );
    println!("                     bare   async   difference");
    for (name, asks) in [("messages", false), ("calls and replies", true)] {
        let (mut bare, mut tasks) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            bare = bare.min(round::<Bare>(asks));
            tasks = tasks.min(round::<Async<Tasks>>(asks));
        }
        let each = |time: Duration| time.as_nanos() as f64 / DELIVERIES as f64;
        let (bare, tasks) = (each(bare), each(tasks));
        println!("{name:<18} {bare:>6.0} {tasks:>7.0} {:>12.0}", tasks - bare);
    }
}

/// Lets one message go round, or one call after the other; how long that took.
fn round<N: Node<State = u64, Request = bool>>(asks: bool) -> Duration {
    let op = asks.to_string();
    let setup = Setup {
        nodes: 3,
        seed: 1,
        contract: Contract::asynchronous(),
        options: Arc::new(Options::default()),
        workload: vec![Arc::from(op.as_str())],
        steps: DELIVERIES + 1,
        recording: Recording::Brief,
    };
    let mut cluster = InProcess::<N>::boot(&setup).expect("it boots");
    let request = Step::Request(NodeId::new(1), Arc::from(op.as_str()));
    cluster.perform(&request).expect("a node that runs can be asked");
    let began = Instant::now();
    for _ in 0..DELIVERIES {
        let board = cluster.board();
        let step = board.deliver(board.deliverable()[0]);
        cluster.perform(&step).expect("there is one message under way");
    }
    let took = began.elapsed();
    let counted: u64 = cluster.states().iter().sum();
    assert_eq!(counted, DELIVERIES as u64, "every delivery is counted once");
    took
}
