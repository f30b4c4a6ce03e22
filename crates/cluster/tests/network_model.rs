//! The network against a model of it: any contract, any steps, and after each step the same messages can be
//! delivered, wait or are gone as in a model that is a list and a few loops. And vector clocks against
//! reachability.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use shakedown_cluster::{
    Cluster, Context, Contract, Crashes, DiskModel, Fate, InProcess, Loss, Message, MessageId, MessageIndex,
    Node, NodeId, Options, Order, Recording, RequestId, Setup, Step, Timers,
};

/// Sends to everybody when it is asked, and passes on what it hears a few times.
struct Chatter;

#[derive(Clone, Debug)]
struct Hops(u8);

impl Message for Hops {
    fn kind(&self) -> &'static str {
        if self.0.is_multiple_of(2) { "Even" } else { "Odd" }
    }
}

impl Node for Chatter {
    type Message = Hops;
    type Request = ();
    type Answer = ();
    type State = ();
    type Disk = ();

    fn boot(_disk: &(), _ctx: &mut Context<'_, Self>) -> Self {
        Chatter
    }

    fn request(&mut self, _id: RequestId, (): (), ctx: &mut Context<'_, Self>) {
        ctx.broadcast(&Hops(2));
        ctx.send(ctx.id(), Hops(1));
    }

    fn receive(&mut self, from: NodeId, Hops(hops): Hops, ctx: &mut Context<'_, Self>) {
        if hops > 0 {
            ctx.send(from, Hops(hops - 1));
        }
    }

    fn observe(&self) {}
}

/// The model: every message with its fate, in the order of sending.
struct Model {
    contract: Contract,
    messages: Vec<(MessageId, &'static str, Fate)>,
    up: Vec<bool>,
    cut: BTreeSet<(NodeId, NodeId)>,
}

impl Model {
    fn is_cut(&self, a: NodeId, b: NodeId) -> bool {
        self.cut.contains(&(a.min(b), a.max(b)))
    }

    /// What becomes of a message that is sent now.
    fn launch(&self, id: MessageId) -> Fate {
        match self.up[id.to.index()] {
            _ if self.is_cut(id.from, id.to) => Fate::Lost,
            true => Fate::InFlight,
            false if self.contract.loss != Loss::Session => Fate::Parked,
            false => Fate::Lost,
        }
    }

    /// What is under way or waits, in the order of names.
    fn under_way(&self) -> Vec<(MessageId, &'static str)> {
        let there = self.messages.iter().filter(|(_, _, fate)| matches!(fate, Fate::InFlight | Fate::Parked));
        let mut named: Vec<_> = there.map(|(id, kind, _)| (*id, *kind)).collect();
        named.sort_unstable();
        named
    }

    fn deliverable(&self) -> BTreeSet<(MessageId, &'static str)> {
        let mut links = BTreeSet::new();
        let under_way = self.messages.iter().filter(|(_, _, fate)| *fate == Fate::InFlight);
        let first = |id: &MessageId| self.contract.order == Order::Any || links.insert((id.from, id.to));
        let mut first = first;
        under_way.filter(|(id, ..)| first(id)).map(|(id, kind, _)| (*id, *kind)).collect()
    }

    fn change(&mut self, from: Fate, to: Fate, which: impl Fn(MessageId) -> bool) {
        for (id, _, fate) in &mut self.messages {
            if *fate == from && which(*id) {
                *fate = to;
            }
        }
    }

    /// What the step does to messages that are there; what nodes send is learned from the cluster.
    fn perform(&mut self, step: &Step) {
        let ends =
            |id: MessageId, a: NodeId, b: NodeId| (id.from, id.to) == (a, b) || (id.from, id.to) == (b, a);
        match step {
            Step::Deliver(id, kind) | Step::Drop(id, kind) => {
                let message = self.messages.iter_mut().find(|(m, k, _)| m == id && *k == kind.as_str());
                message.expect("the model knows it").2 = Fate::Lost;
            }
            Step::Crash { node, .. } => {
                self.up[node.index()] = false;
                if self.contract.loss != Loss::Session {
                    self.change(Fate::InFlight, Fate::Parked, |id| id.to == *node);
                } else {
                    self.change(Fate::InFlight, Fate::Lost, |id| id.to == *node || id.from == *node);
                }
            }
            Step::Restart(node) => {
                self.up[node.index()] = true;
                self.change(Fate::Parked, Fate::InFlight, |id| id.to == *node);
            }
            Step::Cut(a, b) => {
                self.cut.insert((*a.min(b), *a.max(b)));
                for fate in [Fate::InFlight, Fate::Parked] {
                    self.change(fate, Fate::Lost, |id| ends(id, *a, *b));
                }
            }
            Step::Heal(a, b) => {
                self.cut.remove(&(*a.min(b), *a.max(b)));
            }
            _ => {}
        }
    }
}

fn contracts() -> impl Strategy<Value = Contract> {
    let order = prop_oneof![Just(Order::Any), Just(Order::Fifo)];
    let loss = prop_oneof![Just(Loss::Never), Just(Loss::Session), Just(Loss::Message)];
    let crashes = prop_oneof![Just(Crashes::Never), Just(Crashes::Minority), Just(Crashes::All)];
    (order, loss, any::<bool>(), crashes).prop_map(|(order, loss, duplication, crashes)| Contract {
        order,
        loss,
        duplication,
        crashes,
        disk: DiskModel::Synchronous,
        timers: Timers::WhenDue,
        byzantine_max: 0,
        ..Contract::asynchronous()
    })
}

/// The step that three numbers stand for on this board; it may be refused.
fn step_of(board: &shakedown_cluster::Board, (kind, a, b): (u8, u8, u8)) -> Step {
    let node = |number: u8| NodeId::from_index(number as usize % board.size());
    let message = |number: u8| {
        let all = board.messages();
        (!all.is_empty())
            .then(|| (all[number as usize % all.len()].id, all[number as usize % all.len()].kind))
    };
    let deliver = |number: u8| {
        let all = board.deliverable();
        (!all.is_empty()).then(|| board.deliver(all[number as usize % all.len()]))
    };
    let step = match kind % 12 {
        0..=4 => deliver(a),
        5 => message(a).map(|(id, kind)| Step::Deliver(id, kind)),
        6 => message(a).map(|(id, kind)| Step::Drop(id, kind)),
        7 => message(a).map(|(id, kind)| Step::Duplicate(id, kind)),
        8 => Some(Step::Crash { node: node(a), keep: 0 }),
        9 => Some(Step::Restart(node(a))),
        10 => Some(Step::Cut(node(a), node(b))),
        _ => Some(Step::Heal(node(a), node(b))),
    };
    step.unwrap_or_else(|| Step::Request(node(a), "null".into()))
}

fn check_clocks(board: &shakedown_cluster::Board) {
    let count = board.moments().len();
    let mut past: Vec<BTreeSet<usize>> = Vec::with_capacity(count);
    for moment in 0..count {
        let node = board.moments()[moment].node;
        let mut before = BTreeSet::new();
        let own = (0..moment).rev().find(|&earlier| board.moments()[earlier].node == node);
        let received = board.messages().iter().filter(|m| m.fate == Fate::Received(moment as u32));
        for cause in own.into_iter().chain(received.map(|m| m.sent_at as usize)) {
            before.insert(cause);
            before.extend(past[cause].iter().copied());
        }
        past.push(before);
    }
    let clocks = board.clocks();
    for (later, before) in past.iter().enumerate() {
        for earlier in (0..count).filter(|&earlier| earlier != later) {
            let node = board.moments()[earlier].node.index();
            let by_clock = clocks.of(later as u32)[node] >= clocks.of(earlier as u32)[node];
            assert_eq!(by_clock, before.contains(&earlier), "moments {earlier} and {later}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::with_cases(4_000)
    })]

    #[test]
    fn the_network_does_what_its_model_does(
        contract in contracts(),
        nodes in 1usize..5,
        choices in prop::collection::vec(any::<(u8, u8, u8)>(), 1..60),
    ) {
        let setup = Setup {
            nodes,
            contract: contract.clone(),
            options: Arc::new(Options::default()),
            workload: Vec::new(),
            steps: choices.len(),
            seed: 1,
            recording: Recording::Brief,
        };
        let mut cluster = InProcess::<Chatter>::boot(&setup).expect("chatters boot");
        let mut model =
            Model { contract, messages: Vec::new(), up: vec![true; nodes], cut: BTreeSet::new() };
        for choice in choices {
            let step = step_of(cluster.board(), choice);
            let before = cluster.board().fingerprint();
            if cluster.perform(&step).is_err() {
                prop_assert_eq!(cluster.board().fingerprint(), before, "a refused step changes nothing");
                continue;
            }
            model.perform(&step);
            for message in &cluster.board().messages()[model.messages.len()..] {
                let fate = model.launch(message.id);
                model.messages.push((message.id, message.kind.as_str(), fate));
            }
            let board = cluster.board();
            let named = |m: MessageIndex| (board.message(m).id, board.message(m).kind.as_str());
            let offered: BTreeSet<_> = board.deliverable().iter().map(|&m| named(m)).collect();
            prop_assert_eq!(offered, model.deliverable(), "after {}", step);
            let in_flight = model.messages.iter().filter(|(_, _, fate)| *fate == Fate::InFlight).count();
            prop_assert_eq!(board.in_flight_count(), in_flight);
            let mut under_way: Vec<_> = board.under_way().map(named).collect();
            under_way.sort_unstable();
            prop_assert_eq!(under_way, model.under_way(), "after {}", step);
            prop_assert_eq!(board.up().count(), model.up.iter().filter(|up| **up).count());
            for message in board.messages() {
                prop_assert_eq!(board.find(message.id, message.kind).map(|m| board.message(m).id), Some(message.id));
            }
        }
        check_clocks(cluster.board());
    }
}
