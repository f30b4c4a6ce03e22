//! The board: what can be seen of a cluster without knowing its protocol. Strategies choose from it, oracles and
//! reports read it, and when the execution is over it is its trace.
//!
//! The board keeps the books; it never touches a node. The order of everything in it follows from the steps alone.

mod bookkeeping;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::clock::Clocks;
use crate::event::{Event, Moment, Panic};
use crate::message::{Fate, MessageInfo};
use crate::{Contract, Fingerprint, Fingerprinter, MessageId, MessageIndex, Name, NodeId, Order, Step};

/// The most messages that may be under way at once; a cluster that has more is stopped.
pub const IN_FLIGHT_MAX: usize = 100_000;

/// What can be seen of one node without knowing its protocol.
#[derive(Clone, Debug)]
pub struct NodeInfo {
    /// Whether the node runs.
    pub up: bool,
    /// How often it has booted.
    pub lives: u32,
    /// How many ticks it has seen.
    pub ticks: u64,
    /// Its timers and when they are due, in the order in which they were first set.
    pub timers: Vec<(Name, u64)>,
    /// How many of its writes are not durable yet.
    pub unflushed: u32,
    /// Messages that wait for it to be restarted.
    pub(crate) parked: Vec<MessageIndex>,
}

/// A request and its answer.
#[derive(Clone, Debug)]
pub struct RequestInfo {
    /// The node that was asked.
    pub node: NodeId,
    /// What was asked, as JSON.
    pub op: Arc<str>,
    /// The place of the event of its sending in [`Board::events`].
    pub requested: u32,
    /// The place of the event of its first answer, if it was answered.
    pub answered: Option<u32>,
    /// That answer, as JSON.
    pub answer: Option<Arc<str>>,
}

/// Why a cluster can do no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A node panicked.
    Panicked(NodeId, Panic),
    /// A node sent more than [`crate::SENDS_MAX`] messages in one activation.
    Flooded(NodeId),
    /// More than [`IN_FLIGHT_MAX`] messages are under way.
    Crowded,
}

/// The messages of one kind on one link.
#[derive(Clone, Debug)]
struct SentKind {
    kind: Name,
    /// Stands for the kind in fingerprints.
    word: u32,
    messages: Vec<MessageIndex>,
}

#[derive(Clone, Debug, Default)]
struct Link {
    /// Every message that was sent, by kind.
    sent: Vec<SentKind>,
    queue: VecDeque<MessageIndex>,
    cut: bool,
}

impl Link {
    /// Enters a message; gives its number among those of its kind, and the word that stands for the kind.
    ///
    /// # Panics
    /// If the kind is new and not one word: a finding, for this is called while a node is activated.
    fn enter(&mut self, kind: Name, index: MessageIndex) -> (u32, u32) {
        let at = self.sent.iter().position(|known| known.kind == kind).unwrap_or_else(|| {
            if let Err(error) = Name::check(kind.as_str()) {
                panic!("a kind of message needs a name: {error}");
            }
            let mut fingerprinter = Fingerprinter::default();
            fingerprinter.add(&kind);
            let word = fingerprinter.finish().0 as u32;
            self.sent.push(SentKind { kind, word, messages: Vec::new() });
            self.sent.len() - 1
        });
        let SentKind { word, messages, .. } = &mut self.sent[at];
        messages.push(index);
        (messages.len() as u32, *word)
    }
}

/// See the module's text.
#[derive(Clone)]
pub struct Board {
    contract: Contract,
    nodes: Vec<NodeInfo>,
    links: Vec<Link>,
    messages: Vec<MessageInfo>,
    deliverable: Vec<MessageIndex>,
    in_flight: usize,
    workload: Vec<Arc<str>>,
    requests: Vec<RequestInfo>,
    steps: Vec<Step>,
    moments: Vec<Moment>,
    clocks: Clocks,
    events: Vec<Event>,
    stop: Option<Stop>,
    fingerprinter: Fingerprinter,
    down: usize,
    cuts: usize,
    crashes: usize,
}

impl Board {
    /// An empty board with room for about this many steps.
    pub fn new(nodes: usize, contract: Contract, workload: Vec<Arc<str>>, steps: usize) -> Board {
        let info =
            NodeInfo { up: true, lives: 0, ticks: 0, timers: Vec::new(), unflushed: 0, parked: Vec::new() };
        Board {
            contract,
            nodes: vec![info; nodes],
            links: vec![Link::default(); nodes * nodes],
            messages: Vec::with_capacity(steps),
            deliverable: Vec::with_capacity(32),
            in_flight: 0,
            workload,
            requests: Vec::new(),
            steps: Vec::with_capacity(steps),
            moments: Vec::with_capacity(steps + nodes),
            clocks: Clocks::new(nodes, steps + nodes),
            events: Vec::with_capacity(2 * steps),
            stop: None,
            fingerprinter: Fingerprinter::default(),
            down: 0,
            cuts: 0,
            crashes: 0,
        }
    }

    /// The contract of the target.
    #[inline]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// How many nodes the cluster has.
    #[inline]
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// What can be seen of a node.
    #[inline]
    pub fn node(&self, node: NodeId) -> &NodeInfo {
        &self.nodes[node.index()]
    }

    /// Whether the node exists and runs.
    #[inline]
    pub fn is_up(&self, node: NodeId) -> bool {
        self.nodes.get(node.index()).is_some_and(|info| info.up)
    }

    /// The nodes that run, in order.
    pub fn up(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        NodeId::first(self.size()).filter(|&node| self.is_up(node))
    }

    /// The nodes that are down, in order.
    pub fn down(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        NodeId::first(self.size()).filter(|&node| !self.is_up(node))
    }

    /// How many nodes are down.
    pub fn down_count(&self) -> usize {
        self.down
    }

    /// How many crashes there were.
    pub fn crash_count(&self) -> usize {
        self.crashes
    }

    /// How many links are cut.
    pub fn cut_count(&self) -> usize {
        self.cuts
    }

    /// Whether the link between two nodes is cut.
    pub fn is_cut(&self, a: NodeId, b: NodeId) -> bool {
        self.links[self.link(a, b)].cut
    }

    /// Every message of the execution, in the order of sending.
    pub fn messages(&self) -> &[MessageInfo] {
        &self.messages
    }

    /// A message.
    #[inline]
    pub fn message(&self, index: MessageIndex) -> &MessageInfo {
        &self.messages[index.index()]
    }

    /// The message of this identity and kind.
    pub fn find(&self, id: MessageId, kind: Name) -> Option<MessageIndex> {
        self.sent(id.from, id.to, kind).get(id.number as usize - 1).copied()
    }

    /// Every message of one kind on one link, in the order of sending.
    pub fn sent(&self, from: NodeId, to: NodeId, kind: Name) -> &[MessageIndex] {
        if from.index() >= self.size() || to.index() >= self.size() {
            return &[];
        }
        let sent = self.links[self.link(from, to)].sent.iter().find(|known| known.kind == kind);
        sent.map_or(&[], |known| &known.messages)
    }

    /// The messages that can be delivered now: all that are under way to a running node, or the oldest of each link
    /// where links are first in, first out. The order is arbitrary but follows from the steps.
    #[inline]
    pub fn deliverable(&self) -> &[MessageIndex] {
        &self.deliverable
    }

    /// Whether this message can be delivered now.
    #[inline]
    pub fn is_deliverable(&self, index: MessageIndex) -> bool {
        self.message(index).place != u32::MAX
    }

    /// How many messages are under way.
    pub fn in_flight_count(&self) -> usize {
        self.in_flight
    }

    /// The requests that were sent.
    pub fn requests(&self) -> &[RequestInfo] {
        &self.requests
    }

    /// What clients will ask, in order, as JSON.
    pub fn workload(&self) -> &[Arc<str>] {
        &self.workload
    }

    /// The next request of the workload, as JSON.
    pub fn next_request(&self) -> Option<&Arc<str>> {
        self.workload.get(self.requests.len())
    }

    /// The steps that were done.
    #[inline]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Every activation of a node.
    #[inline]
    pub fn moments(&self) -> &[Moment] {
        &self.moments
    }

    /// The vector clock of a moment: for every node, how many of its moments happened before or at this one.
    #[inline]
    pub fn clock(&self, moment: u32) -> &[u32] {
        self.clocks.of(moment)
    }

    /// Everything that was seen.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Why the cluster can do no more, if it cannot.
    #[inline]
    pub fn stopped(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// The fingerprint of the execution so far.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprinter.finish()
    }

    /// Whether the receipt of `first` happened before the sending of `second`: the order that PCTCP's chains follow.
    pub fn caused(&self, first: MessageIndex, second: MessageIndex) -> bool {
        let (first, second) = (self.message(first), self.message(second));
        match first.fate {
            Fate::Received(at) => {
                let receiver = first.id.to.index();
                self.clock(second.sent_at)[receiver] >= self.clock(at)[receiver]
            }
            _ => false,
        }
    }

    /// The step that delivers this message.
    #[inline]
    pub fn deliver(&self, index: MessageIndex) -> Step {
        let message = self.message(index);
        Step::Deliver(message.id, message.kind)
    }

    /// Whether any timer may go off now.
    pub fn has_ripe_timers(&self) -> bool {
        self.nodes.iter().any(|node| !node.timers.is_empty()) && self.ripe_timers().next().is_some()
    }

    /// The timers that may go off now.
    pub fn ripe_timers(&self) -> impl Iterator<Item = (NodeId, Name)> + Clone + '_ {
        let anytime = self.contract.timers == crate::Timers::Anytime;
        self.up().filter(|&node| !self.node(node).timers.is_empty()).flat_map(move |node| {
            let info = self.node(node);
            info.timers
                .iter()
                .filter(move |(_, due)| anytime || *due <= info.ticks)
                .map(move |(name, _)| (node, *name))
        })
    }

    fn link(&self, from: NodeId, to: NodeId) -> usize {
        from.index() * self.nodes.len() + to.index()
    }

    fn is_fifo(&self) -> bool {
        self.contract.order == Order::Fifo
    }
}
