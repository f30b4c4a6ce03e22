//! The board: what can be seen of a cluster without knowing its protocol. Strategies choose from it, oracles and
//! reports read it, and when the execution is over it is its trace.
//!
//! The board keeps the books; it never touches a node. The order of everything in it follows from the steps alone.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::clock::Clocks;
use crate::event::{Event, Happening, Moment, Panic};
use crate::message::{Fate, MessageInfo};
use crate::{
    Contract, Fingerprint, Fingerprinter, MessageId, MessageIndex, Name, NodeId, Order, RequestId, Step,
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

/// The book-keeping of a cluster. It is public so that clusters can be built elsewhere too; whoever chooses or judges only
/// ever has a board to look at.
impl Board {
    /// What can be seen of a node, to be changed: ticks, timers, lives, unflushed writes.
    pub fn node_mut(&mut self, node: NodeId) -> &mut NodeInfo {
        &mut self.nodes[node.index()]
    }

    /// Takes into the fingerprint what the board does not see: states, contents of messages, facts.
    pub fn fingerprinter(&mut self) -> &mut Fingerprinter {
        &mut self.fingerprinter
    }

    /// The cluster can do no more. The first reason counts.
    pub fn stop(&mut self, stop: Stop) {
        self.stop.get_or_insert(stop);
    }

    /// A step begins; `message` is the one that it names.
    pub fn begin_step(&mut self, step: &Step, message: Option<MessageIndex>) {
        match (step, message) {
            (Step::Deliver(id, _), Some(index)) => {
                let link = (id.from.index() << 8 | id.to.index()) as u64;
                let word = u64::from(self.message(index).word) | link << 32;
                self.fingerprinter.add(&word);
                self.fingerprinter.add(&u64::from(id.number));
            }
            (Step::Tick(node), _) => self.fingerprinter.add(&(1 << 63 | node.index() as u64)),
            (other, _) => self.fingerprinter.add(other),
        }
        self.steps.push(step.clone());
    }

    /// A node is activated, by a message or otherwise.
    pub fn begin_moment(&mut self, node: NodeId, cause: Option<MessageIndex>) -> u32 {
        let sent_at = cause.map(|index| self.message(index).sent_at);
        let moment = self.clocks.advance(node.index(), sent_at);
        self.moments.push(Moment { step: self.steps.len() as u32, node });
        moment
    }

    /// Something is seen at a moment.
    #[inline]
    pub fn see(&mut self, moment: u32, what: Happening) {
        self.events.push(Event { moment, what });
    }

    /// A message is sent: it is under way, waits for its receiver, or is lost at once.
    ///
    /// # Panics
    /// If its kind is not one word; see [`Name::check`].
    pub fn send(&mut self, moment: u32, from: NodeId, to: NodeId, kind: Name) -> MessageIndex {
        let link = self.link(from, to);
        let index = MessageIndex(self.messages.len() as u32);
        let (number, word) = self.links[link].enter(kind, index);
        let id = MessageId { from, to, number };
        self.fingerprinter.add(&(u64::from(word) | (to.index() as u64) << 32));
        self.messages.push(MessageInfo {
            id,
            kind,
            sent_at: moment,
            fate: Fate::Lost,
            place: u32::MAX,
            word,
        });
        if !self.links[link].cut {
            self.launch(index);
        }
        index
    }

    fn launch(&mut self, index: MessageIndex) {
        let id = self.message(index).id;
        if !self.is_up(id.to) {
            // Only a session ends with its ends.
            if self.contract.loss != crate::Loss::Session {
                self.messages[index.index()].fate = Fate::Parked;
                self.nodes[id.to.index()].parked.push(index);
            }
            return;
        }
        self.messages[index.index()].fate = Fate::InFlight;
        self.in_flight += 1;
        if self.in_flight > IN_FLIGHT_MAX {
            self.stop(Stop::Crowded);
        }
        if self.is_fifo() {
            let link = self.link(id.from, id.to);
            self.links[link].queue.push_back(index);
            if self.links[link].queue.len() > 1 {
                return;
            }
        }
        self.offer(index);
    }

    fn offer(&mut self, index: MessageIndex) {
        self.messages[index.index()].place = self.deliverable.len() as u32;
        self.deliverable.push(index);
    }

    /// A deliverable message leaves the network.
    pub fn take(&mut self, index: MessageIndex, fate: Fate) {
        let place = self.messages[index.index()].place as usize;
        self.deliverable.swap_remove(place);
        if let Some(moved) = self.deliverable.get(place) {
            self.messages[moved.index()].place = place as u32;
        }
        self.in_flight -= 1;
        self.messages[index.index()].fate = fate;
        self.messages[index.index()].place = u32::MAX;
        if self.is_fifo() {
            let id = self.message(index).id;
            let link = self.link(id.from, id.to);
            let head = self.links[link].queue.pop_front();
            debug_assert_eq!(head, Some(index), "only the head of a link is deliverable");
            if let Some(&next) = self.links[link].queue.front() {
                self.offer(next);
            }
        }
    }

    /// Everything under way from one node to another is lost.
    fn lose_all(&mut self, from: NodeId, to: NodeId) {
        if self.is_fifo() {
            let link = self.link(from, to);
            while let Some(&head) = self.links[link].queue.front() {
                self.take(head, Fate::Lost);
            }
            return;
        }
        let lost: Vec<_> = self
            .deliverable
            .iter()
            .copied()
            .filter(|&index| self.message(index).id.from == from && self.message(index).id.to == to)
            .collect();
        for index in lost {
            self.take(index, Fate::Lost);
        }
    }

    /// Everything from one node that waits for another to be restarted is lost.
    fn lose_parked(&mut self, from: NodeId, to: NodeId) {
        let mut parked = std::mem::take(&mut self.node_mut(to).parked);
        parked.retain(|&index| {
            let is_lost = self.message(index).id.from == from;
            if is_lost {
                self.messages[index.index()].fate = Fate::Lost;
            }
            !is_lost
        });
        self.node_mut(to).parked = parked;
    }

    /// A link breaks.
    pub fn cut(&mut self, a: NodeId, b: NodeId) {
        self.cuts += 1;
        for (from, to) in [(a, b), (b, a)] {
            self.lose_all(from, to);
            self.lose_parked(from, to);
            let link = self.link(from, to);
            self.links[link].cut = true;
        }
    }

    /// A link works again.
    pub fn heal(&mut self, a: NodeId, b: NodeId) {
        self.cuts -= 1;
        for (from, to) in [(a, b), (b, a)] {
            let link = self.link(from, to);
            self.links[link].cut = false;
        }
    }

    /// A node stops: its timers and unflushed writes are gone, its connections too where the contract has sessions; other
    /// messages wait for it.
    pub fn crash(&mut self, node: NodeId) {
        self.down += 1;
        self.crashes += 1;
        let info = self.node_mut(node);
        info.up = false;
        info.timers.clear();
        info.unflushed = 0;
        if self.contract.loss != crate::Loss::Session {
            // Where links are first in, first out, taking the heads offers the next ones.
            let mut parked = Vec::new();
            loop {
                let to_node = |index: &MessageIndex| self.message(*index).id.to == node;
                let heads: Vec<_> = self.deliverable.iter().copied().filter(to_node).collect();
                if heads.is_empty() {
                    break;
                }
                heads.iter().for_each(|&index| self.take(index, Fate::Parked));
                parked.extend(heads);
            }
            parked.sort_unstable();
            self.node_mut(node).parked = parked;
        } else {
            // A connection does not outlive its ends.
            for other in NodeId::first(self.size()) {
                self.lose_all(node, other);
                self.lose_all(other, node);
            }
        }
    }

    /// A node runs again.
    pub fn restart(&mut self, node: NodeId) {
        self.down -= 1;
        self.node_mut(node).up = true;
        for index in std::mem::take(&mut self.node_mut(node).parked) {
            self.launch(index);
        }
    }

    /// A client asks something.
    pub fn request(&mut self, moment: u32, node: NodeId, op: Arc<str>) -> RequestId {
        let id = RequestId(self.requests.len() as u32);
        self.requests.push(RequestInfo {
            node,
            op,
            requested: self.events.len() as u32,
            answered: None,
            answer: None,
        });
        self.see(moment, Happening::Requested(id));
        id
    }

    /// A request is answered; the first answer counts.
    pub fn answer(&mut self, moment: u32, id: RequestId, answer: Arc<str>) {
        let event = self.events.len() as u32;
        self.fingerprinter.add(&(id, &answer));
        if let Some(request) = self.requests.get_mut(id.0 as usize)
            && request.answered.is_none()
        {
            (request.answered, request.answer) = (Some(event), Some(answer));
        }
        self.see(moment, Happening::Answered(id));
    }
}
