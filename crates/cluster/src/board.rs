//! The board: what can be seen of a cluster without knowing its protocol. Strategies choose from it, oracles
//! and reports read it, and when the execution is over it is its trace.
//!
//! The board keeps the books; it never touches a node. The order of everything in it follows from the steps
//! alone.

mod bookkeeping;
mod events;
mod register;

pub use self::events::Noted;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use self::events::{Events, Note};
use self::register::Register;
use crate::clock::{Clocks, KnownClocks};
use crate::event::{Event, Moment, Panic};
use crate::message::{Fate, MessageInfo, NO_PLACE};
use crate::{
    Clients, Contract, Fact, Fingerprint, Fingerprinter, MessageId, MessageIndex, Name, NodeId, Order,
    RequestId, Step,
};

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
    /// Whether it lies: messages of it were changed or invented. What such a node shows proves nothing.
    pub lies: bool,
    /// Messages that wait for it to be restarted.
    pub(crate) parked: Vec<MessageIndex>,
}

/// A request and its answer.
#[derive(Clone, Debug)]
pub struct RequestInfo {
    /// The node that was asked first.
    pub node: NodeId,
    /// What was asked, as JSON.
    pub op: Arc<str>,
    /// The place of the event of its sending in [`Board::events`].
    pub requested: u32,
    /// The place of the event of its first answer, if it was answered.
    pub answered: Option<u32>,
    /// That answer, as JSON.
    pub answer: Option<Arc<str>>,
    /// The node that was asked last.
    pub asked: NodeId,
    /// How often it was asked.
    pub tries: u32,
    /// Where the node that was asked last has sent the client, if it has.
    pub redirect: Option<Redirect>,
}

impl RequestInfo {
    /// A request that was just sent.
    pub fn new(node: NodeId, op: Arc<str>, requested: u32) -> RequestInfo {
        let (answered, answer) = (None, None);
        RequestInfo { node, op, requested, answered, answer, asked: node, tries: 1, redirect: None }
    }

    /// Whether its client may ask again.
    pub fn may_be_retried(&self, clients: Clients) -> bool {
        let may = match clients {
            Clients::Once => false,
            Clients::Redirected => self.redirect.is_some(),
            Clients::Retrying => true,
        };
        may && self.answered.is_none()
    }
}

/// A client is sent elsewhere: to the node that should know better, if one is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Redirect(pub Option<NodeId>);

/// Why a cluster can do no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A node panicked.
    Panicked(NodeId, Panic),
    /// A node sent more than [`crate::SENDS_MAX`] messages in one activation.
    Flooded(NodeId),
    /// More than [`IN_FLIGHT_MAX`] messages are under way.
    Crowded,
    /// A node that is a process ended by itself, or broke a limit.
    Ended(NodeId, String),
    /// The cluster can do no more, and no node is to blame.
    Broken(String),
}

#[derive(Clone, Debug, Default)]
struct Link {
    /// What is under way, where links are first in, first out.
    queue: VecDeque<MessageIndex>,
    cut: bool,
}

/// See the module's text.
#[derive(Clone)]
pub struct Board {
    contract: Contract,
    nodes: Vec<NodeInfo>,
    links: Vec<Link>,
    register: Register,
    messages: Vec<MessageInfo>,
    /// The message that was last named for a step. A step names its message by link, kind and number, and
    /// nearly always it is this one that is meant next.
    offered: Offered,
    deliverable: Vec<MessageIndex>,
    in_flight: usize,
    workload: Vec<Arc<str>>,
    requests: Vec<RequestInfo>,
    steps: Vec<Step>,
    moments: Vec<Moment>,
    clocks: KnownClocks,
    notes: Vec<Note>,
    /// How many events there were.
    events: u32,
    stop: Option<Stop>,
    fingerprinter: Fingerprinter,
    down: usize,
    cuts: usize,
    crashes: usize,
}

/// A message that is remembered while the board is only looked at. It is never trusted, only tried first.
#[derive(Default)]
struct Offered(AtomicU32);

impl Offered {
    #[inline]
    fn get(&self) -> MessageIndex {
        MessageIndex(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    fn set(&self, index: MessageIndex) {
        self.0.store(index.0, Ordering::Relaxed);
    }
}

impl Clone for Offered {
    fn clone(&self) -> Offered {
        Offered::default()
    }
}

impl Board {
    /// An empty board with room for about this many steps.
    pub fn new(nodes: usize, contract: Contract, workload: Vec<Arc<str>>, steps: usize) -> Board {
        let info = NodeInfo {
            up: true,
            lives: 0,
            ticks: 0,
            timers: Vec::new(),
            unflushed: 0,
            lies: false,
            parked: Vec::new(),
        };
        Board {
            contract,
            nodes: vec![info; nodes],
            links: vec![Link::default(); nodes * nodes],
            register: Register::new(nodes * nodes),
            messages: Vec::with_capacity(steps),
            offered: Offered::default(),
            deliverable: Vec::with_capacity(32),
            in_flight: 0,
            workload,
            requests: Vec::new(),
            steps: Vec::with_capacity(steps),
            moments: Vec::with_capacity(steps + nodes),
            clocks: KnownClocks::default(),
            notes: Vec::new(),
            events: 0,
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
    #[inline]
    pub fn find(&self, id: MessageId, kind: Name) -> Option<MessageIndex> {
        let offered = self.offered.get();
        match self.messages.get(offered.index()) {
            Some(message) if message.id == id && message.kind.is_identical(kind) => Some(offered),
            _ => self.find_by_number(id, kind),
        }
    }

    #[cold]
    fn find_by_number(&self, id: MessageId, kind: Name) -> Option<MessageIndex> {
        self.look(id, kind, |sent| sent.get(id.number as usize - 1).copied())
    }

    /// The oldest message of this link and kind that can be delivered now.
    pub fn oldest_deliverable(&self, id: MessageId, kind: Name) -> Option<MessageIndex> {
        self.look(id, kind, |sent| sent.iter().copied().find(|&index| self.is_deliverable(index)))
    }

    fn look<T: Default>(&self, id: MessageId, kind: Name, look: impl FnOnce(&[MessageIndex]) -> T) -> T {
        if id.from.index() >= self.size() || id.to.index() >= self.size() {
            return T::default();
        }
        self.register.look(kind, self.link(id.from, id.to), &self.messages, look)
    }

    /// The messages that can be delivered now: all that are under way to a running node, or the oldest of
    /// each link where links are first in, first out. The order is arbitrary but follows from the steps.
    #[inline]
    pub fn deliverable(&self) -> &[MessageIndex] {
        &self.deliverable
    }

    /// Whether this message can be delivered now.
    #[inline]
    pub fn is_deliverable(&self, index: MessageIndex) -> bool {
        self.message(index).place != NO_PLACE
    }

    /// The messages that are under way, and those that wait for their receivers to be restarted. The order is
    /// arbitrary but follows from the steps.
    pub fn under_way(&self) -> impl Iterator<Item = MessageIndex> + '_ {
        // Where links are first in, first out, only the oldest of each can be delivered.
        let on_links = self.links.iter().flat_map(|link| &link.queue);
        let in_flight = if self.is_fifo() { &[] } else { self.deliverable() };
        let waiting = self.nodes.iter().flat_map(|node| &node.parked);
        on_links.chain(in_flight).chain(waiting).copied()
    }

    /// How many messages are under way.
    pub fn in_flight_count(&self) -> usize {
        self.in_flight
    }

    /// The requests that were sent.
    pub fn requests(&self) -> &[RequestInfo] {
        &self.requests
    }

    /// The requests whose clients may ask again, in the order in which they were sent.
    pub fn retriable(&self) -> impl Iterator<Item = (RequestId, &RequestInfo)> + Clone {
        let clients = self.contract.clients;
        let requests = if clients.ask_again() { &self.requests[..] } else { &[] };
        let numbered =
            requests.iter().enumerate().map(|(number, request)| (RequestId(number as u32), request));
        numbered.filter(move |(_, request)| request.may_be_retried(clients))
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

    /// The vector clocks of all moments so far.
    pub fn clocks(&self) -> Arc<Clocks> {
        self.clocks.up_to_date(self.size(), &self.moments, &self.messages)
    }

    /// Everything that was seen, in the order in which it happened.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.events_from(0)
    }

    /// What was seen from this moment on.
    pub fn events_from(&self, moment: u32) -> impl Iterator<Item = Event<'_>> {
        Events::from(self, moment as usize)
    }

    /// The facts that nodes reported, in order.
    pub fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.notes.iter().filter_map(|note| match &note.what {
            Noted::Internal(fact) => Some(fact),
            _ => None,
        })
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

    /// Whether the receipt of `first` happened before the sending of `second`: the order that PCTCP's chains
    /// follow. `clocks` are those of this board.
    #[inline]
    pub fn caused(&self, first: MessageIndex, second: MessageIndex, clocks: &Clocks) -> bool {
        let (first, second) = (self.message(first), self.message(second));
        match first.fate {
            Fate::Received(at) => {
                let receiver = first.id.to.index();
                clocks.of(second.sent_at)[receiver] >= clocks.of(at)[receiver]
            }
            _ => false,
        }
    }

    /// How a step names this message.
    #[inline]
    pub fn name_of(&self, index: MessageIndex) -> (MessageId, Name) {
        self.offered.set(index);
        let message = self.message(index);
        (message.id, message.kind)
    }

    /// The step that delivers this message.
    #[inline]
    pub fn deliver(&self, index: MessageIndex) -> Step {
        let (id, kind) = self.name_of(index);
        Step::Deliver(id, kind)
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
