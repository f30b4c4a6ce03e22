//! A cluster whose nodes live in this process: the fast and exactly repeatable kind.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use crate::board::{Noted, Stop};
use crate::event::Panic;
use crate::message::{Fate, NO_PLACE};
use crate::node::{DiskChange, Effects, TimerChange};
use crate::panics::{Caught, CaughtPanics, Way, catch_every_panic, catch_panic};
use crate::payloads::Payloads;
use crate::random::derive_seed;
use crate::{
    Board, Cluster, Context, Contract, Crashes, Disk, DiskModel, Environment, Loss, Message, MessageId,
    MessageIndex, Name, Node, NodeId, Options, Order, Random, Recording, Refusal, Step, Timers, Trace,
};

/// What a node is doing when it boots, when it is looked at, and when its messages and state are taken in.
const BOOT: &str = "boot";
const OBSERVE: &str = "observe";
const SETTLE: &str = "the hash, kind or text of a message or state";

/// What a node is doing when it is dropped, in a crash or at the end.
const DROP: &str = "its drop";
/// Where a panic on a thread of the target happened. Which node started the thread is not known: it stands under the one that
/// ran when the panic was noticed.
pub const ON_A_THREAD: &str = "a thread of the target";

/// The most steps that room is made for beforehand.
const ROOM_MAX: usize = 1_000;

/// What a cluster is made from.
#[derive(Clone, Debug)]
pub struct Setup {
    /// How many nodes.
    pub nodes: usize,
    /// What the network, the disks and the clocks may do.
    pub contract: Contract,
    /// What the nodes are configured with.
    pub options: Arc<Options>,
    /// The requests that clients will send, in order, as JSON.
    pub workload: Vec<Arc<str>>,
    /// About how many steps will be done: room is made for so many.
    pub steps: usize,
    /// Where the nodes' randomness comes from.
    pub seed: u64,
    /// How much is kept.
    pub recording: Recording,
}

/// See the module's text.
pub struct InProcess<N: Node> {
    board: Board,
    slots: Vec<Slot<N>>,
    states: Vec<N::State>,
    payloads: Payloads<N::Message>,
    /// The place of every message's contents, by its index; of no meaning once the message is gone.
    places: Vec<u32>,
    options: Arc<Options>,
    environment: Option<Arc<dyn Environment>>,
    seed: u64,
    effects: Effects<N>,
    caught: CaughtPanics,
    recording: Recording,
    message_texts: Vec<String>,
    state_texts: Vec<Arc<str>>,
}

struct Slot<N: Node> {
    node: Option<N>,
    durable: N::Disk,
    unflushed: Vec<<N::Disk as Disk>::Write>,
    random: Random,
}

impl<N: Node> Drop for Slot<N> {
    /// A cluster that was closed has no nodes any more. Of one that was not, no verdict is asked.
    fn drop(&mut self) {
        let node = self.node.take();
        let _ = catch_panic(|| drop(node));
    }
}

impl<N: Node> Slot<N> {
    fn change_disk(
        &mut self,
        changes: impl Iterator<Item = DiskChange<<N::Disk as Disk>::Write>>,
        node: NodeId,
        board: &mut Board,
    ) {
        let is_synchronous = board.contract().disk == DiskModel::Synchronous;
        for change in changes {
            match change {
                DiskChange::Write(write) if is_synchronous => self.durable.apply(write),
                DiskChange::Write(write) => self.unflushed.push(write),
                DiskChange::Flush => self.unflushed.drain(..).for_each(|write| self.durable.apply(write)),
            }
        }
        board.node_mut(node).unflushed = self.unflushed.len() as u32;
    }
}

/// Reads something with the protocol's own code, whose panic is a refusal like its error.
fn read<T>(reader: impl FnOnce() -> Result<T, String>) -> Result<T, Refusal> {
    let text = match catch_panic(reader) {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(text)) => text,
        Err(caught) => caught.message,
    };
    Err(Refusal::Malformed(text))
}

/// Reads the contents of a message, and makes sure that it can tell its kind.
fn decode<N: Node>(text: &str) -> Result<N::Message, Refusal> {
    read(|| {
        let message = N::Message::decode(text)?;
        Name::check(message.kind()).map_err(|error| error.to_string())?;
        Ok(message)
    })
}

fn change_timer(timers: &mut Vec<(Name, u64)>, change: TimerChange) {
    let known = match &change {
        TimerChange::Set(name, _) | TimerChange::Cancel(name) => timers.iter().position(|(t, _)| t == name),
    };
    match (change, known) {
        (TimerChange::Set(_, due), Some(at)) => timers[at].1 = due,
        (TimerChange::Set(name, due), None) => timers.push((name, due)),
        (TimerChange::Cancel(_), Some(at)) => drop(timers.remove(at)),
        (TimerChange::Cancel(_), None) => {}
    }
}

/// A node that could not even boot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{node} could not boot: {panic}")]
pub struct BootPanic {
    /// The node.
    pub node: NodeId,
    /// Its panic.
    pub panic: Panic,
}

impl<N: Node> InProcess<N> {
    /// Boots every node on an empty disk.
    ///
    /// # Panics
    /// If there are no nodes or too many: callers check that first.
    pub fn boot(setup: &Setup) -> Result<InProcess<N>, BootPanic> {
        InProcess::boot_with(setup, CaughtPanics::Findings)
    }

    /// The same, for nodes that may catch their own panics.
    ///
    /// # Panics
    /// As [`InProcess::boot`].
    pub fn boot_with(setup: &Setup, caught: CaughtPanics) -> Result<InProcess<N>, BootPanic> {
        InProcess::boot_in(None, setup, caught)
    }

    /// The same, for nodes that share something beyond this execution.
    ///
    /// # Panics
    /// As [`InProcess::boot`].
    pub fn boot_in(
        environment: Option<Arc<dyn Environment>>,
        setup: &Setup,
        caught: CaughtPanics,
    ) -> Result<InProcess<N>, BootPanic> {
        let room = setup.steps.min(ROOM_MAX);
        let mut cluster = InProcess {
            board: Board::new(setup.nodes, setup.contract.clone(), setup.workload.clone(), room),
            slots: Vec::with_capacity(setup.nodes),
            states: Vec::with_capacity(setup.nodes),
            payloads: Payloads::default(),
            places: Vec::with_capacity(room),
            options: Arc::clone(&setup.options),
            environment,
            seed: setup.seed,
            effects: Effects::default(),
            caught,
            recording: setup.recording,
            message_texts: Vec::new(),
            state_texts: Vec::new(),
        };
        assert!(setup.nodes > 0, "a cluster has at least one node");
        for node in NodeId::first(setup.nodes) {
            let slot = Slot {
                node: None,
                durable: N::Disk::default(),
                unflushed: Vec::new(),
                random: Random::new(0),
            };
            cluster.slots.push(slot);
            if let Err(panic) = cluster.boot_node(node) {
                cluster.close();
                return Err(BootPanic { node, panic });
            }
        }
        Ok(cluster)
    }

    /// A node, if it runs.
    pub fn node(&self, node: NodeId) -> Option<&N> {
        self.slots.get(node.index()).and_then(|slot| slot.node.as_ref())
    }

    fn boot_node(&mut self, id: NodeId) -> Result<(), Panic> {
        let moment = self.board.begin_moment(id, None);
        self.board.node_mut(id).lives += 1;
        let lives = self.board.node(id).lives;
        let seed = derive_seed(derive_seed(self.seed, id.number() as u64), u64::from(lives));
        let stage = Cell::new(BOOT);
        let booted = catch_every_panic(self.caught, || {
            let InProcess { board, slots, states, payloads, options, environment, effects, .. } = self;
            let Slot { node, durable, random, .. } = &mut slots[id.index()];
            *random = Random::new(seed);
            let (now, contract) = (board.node(id).ticks, board.contract());
            let nodes = board.size();
            let environment = environment.as_deref();
            let life = lives;
            let mut ctx =
                Context { id, nodes, now, life, contract, options, environment, random, effects, payloads };
            let booted = node.insert(N::boot(durable, &mut ctx));
            stage.set(OBSERVE);
            let state = booted.observe();
            match states.get_mut(id.index()) {
                Some(known) => *known = state,
                None => states.push(state),
            }
            stage.set(SETTLE);
            self.settle(id, moment, true);
        });
        booted.map_err(|caught| {
            // A call that came to its end has gone through all stages.
            let doing = if caught.1 == Way::Unwound { stage.get() } else { BOOT };
            self.note_panic(id, moment, doing, caught)
        })
    }

    /// Calls the node, looks at it, and carries out what it did. All of it may panic: messages and states are the
    /// protocol's own types. Every step goes through here, so it is inlined whatever the compiler thinks of it.
    #[inline(always)]
    fn activate(
        &mut self,
        id: NodeId,
        moment: u32,
        doing: &'static str,
        call: impl FnOnce(&mut N, &mut Context<'_, N>),
    ) {
        let stage = Cell::new(doing);
        let result = catch_every_panic(self.caught, || {
            let InProcess { board, slots, states, payloads, options, environment, effects, .. } = self;
            let Slot { node, random, .. } = &mut slots[id.index()];
            let node = node.as_mut().expect("only running nodes are activated");
            let (now, life) = (board.node(id).ticks, board.node(id).lives);
            let (nodes, contract) = (board.size(), board.contract());
            let environment = environment.as_deref();
            let mut ctx =
                Context { id, nodes, now, life, contract, options, environment, random, effects, payloads };
            call(node, &mut ctx);
            stage.set(OBSERVE);
            let is_changed = node.observe_again(&mut states[id.index()]);
            stage.set(SETTLE);
            self.settle(id, moment, is_changed);
        });
        if let Err(caught) = result {
            let doing = if caught.1 == Way::Unwound { stage.get() } else { doing };
            self.note_panic(id, moment, doing, caught);
        }
    }

    #[cold]
    fn note_panic(
        &mut self,
        node: NodeId,
        moment: u32,
        doing: &'static str,
        (caught, way): (Caught, Way),
    ) -> Panic {
        let doing = if way == Way::OnThread { ON_A_THREAD } else { doing };
        let panic = Panic { doing, message: caught.message, place: caught.place };
        // What the node sent before it panicked is not sent: the moment did not come to its end. The contents stay where
        // they are, for the cluster does nothing any more.
        self.effects.clear();
        self.board.fingerprinter().add(&(&panic.message, &panic.place));
        self.board.note(moment, Noted::Panicked(Box::new(panic.clone())));
        self.board.stop(Stop::Panicked(node, panic.clone()));
        if self.recording == Recording::Full {
            // There is one text for each moment, and a call that caught its panic has shown its state already.
            self.state_texts.truncate(moment as usize);
            self.state_texts.push(format!("{panic}").into());
        }
        panic
    }

    /// Carries out what the node did in this moment: disk first, for what is flushed before a message leaves must
    /// survive a crash that comes after it.
    #[inline(always)]
    fn settle(&mut self, node: NodeId, moment: u32, is_changed: bool) {
        let state = &self.states[node.index()];
        if is_changed {
            self.board.fingerprinter().add(state);
        }
        if self.recording == Recording::Full {
            self.state_texts.push(format!("{state:?}").into());
        }
        let InProcess { board, effects, payloads, places, slots, message_texts, recording, .. } = self;
        if !effects.disk.is_empty() {
            slots[node.index()].change_disk(effects.disk.drain(..), node, board);
        }
        // Most moments bring forth messages or nothing; even emptying what is empty takes its time.
        if !effects.facts.is_empty() {
            for fact in effects.facts.drain(..) {
                board.fingerprinter().add(&fact);
                board.note(moment, Noted::Internal(fact));
            }
        }
        for &(to, place) in &effects.sends {
            let message = payloads.get(place);
            let index = board.send(moment, node, to, Name::new(message.kind()));
            message.digest(board.fingerprinter());
            if *recording == Recording::Full {
                message_texts.push(message.describe());
            }
            places.push(place);
            if board.message(index).fate == Fate::Lost {
                payloads.take(place);
            }
        }
        effects.sends.clear();
        if !effects.answers.is_empty() {
            for (id, answer) in effects.answers.drain(..) {
                board.answer(moment, id, answer);
            }
        }
        if !effects.timers.is_empty() {
            for change in effects.timers.drain(..) {
                change_timer(&mut board.node_mut(node).timers, change);
            }
        }
        if effects.flooded {
            effects.flooded = false;
            board.stop(Stop::Flooded(node));
        }
    }

    /// Keeps the contents of a message that was just entered on the board without a node's doing.
    fn put_on_network(&mut self, message: N::Message) {
        let place = self.payloads.put(message);
        self.places.push(place);
        let message = self.payloads.get(place);
        message.digest(self.board.fingerprinter());
        if self.recording == Recording::Full {
            self.message_texts.push(message.describe());
        }
    }

    /// Does something with a message outside of any activation. A panic of its code is one of its sender.
    fn handle(&mut self, sender: NodeId, work: impl FnOnce(&mut InProcess<N>)) {
        if let Err(caught) = catch_every_panic(self.caught, || work(self)) {
            let moment = self.board.begin_moment(sender, None);
            self.note_panic(sender, moment, SETTLE, caught);
        }
    }

    #[inline]
    fn take_contents(&mut self, index: MessageIndex) -> N::Message {
        self.payloads.take(self.places[index.index()])
    }

    /// Does something at the end of a node's life. Its panic is a finding unless there was one before.
    fn end(&mut self, node: NodeId, doing: &'static str, work: impl FnOnce()) {
        if let Err(caught) = catch_every_panic(self.caught, work)
            && !matches!(self.board.stopped(), Some(Stop::Panicked(..)))
        {
            let node = if caught.1 == Way::OnThread { self.last_activated() } else { node };
            let moment = self.board.begin_moment(node, None);
            self.note_panic(node, moment, doing, caught);
        }
    }

    fn last_activated(&self) -> NodeId {
        self.board.moments().last().map_or(NodeId::new(1), |moment| moment.node)
    }

    /// Drops one by one: two panics at once would end the process.
    fn end_all<T>(&mut self, node: NodeId, all: impl Iterator<Item = T>) {
        if std::mem::needs_drop::<T>() {
            all.for_each(|one| self.end(node, "the drop of a message, a state or a disk", || drop(one)));
        }
    }

    fn check_node(&self, node: NodeId) -> Result<(), Refusal> {
        if node.index() < self.board.size() { Ok(()) } else { Err(Refusal::NoSuchNode(node)) }
    }

    fn liar_count(&self) -> usize {
        NodeId::first(self.board.size()).filter(|&node| self.board.node(node).lies).count()
    }

    fn check_up(&self, node: NodeId) -> Result<(), Refusal> {
        self.check_node(node)?;
        if self.board.is_up(node) { Ok(()) } else { Err(Refusal::Down(node)) }
    }

    #[inline]
    fn check_message(&self, id: MessageId, kind: Name) -> Result<MessageIndex, Refusal> {
        let Some(index) = self.board.find(id, kind) else { return Err(self.not_sent(id, kind)) };
        let message = self.board.message(index);
        if message.fate != Fate::InFlight {
            return Err(Refusal::NotUnderWay(id, kind));
        }
        if message.place == NO_PLACE {
            return Err(Refusal::NotOldest(id, kind));
        }
        Ok(index)
    }

    /// Why there is no such message.
    #[cold]
    fn not_sent(&self, id: MessageId, kind: Name) -> Refusal {
        let nodes = self.check_node(id.from).and(self.check_node(id.to));
        nodes.err().unwrap_or(Refusal::NotSent(id, kind))
    }

    /// Whether the contract allows such a step at all.
    fn check_contract(&self, step: &Step) -> Result<(), Refusal> {
        let contract = self.board.contract();
        let reason = match step {
            Step::Drop(..) if contract.loss != Loss::Message => "single messages are never lost",
            Step::Duplicate(..) if !contract.duplication => "messages never arrive twice",
            Step::Duplicate(..) if contract.order == Order::Fifo => {
                "a copy would overtake what was sent after it"
            }
            Step::Cut(..) if contract.loss == Loss::Never => "messages are never lost",
            Step::Crash { .. } if contract.crashes == Crashes::Never => "nodes never crash",
            Step::Crash { .. } if self.board.down_count() >= contract.down_max(self.board.size()) => {
                "no more nodes may be down at once"
            }
            Step::Tamper(..) | Step::Inject(..) if contract.byzantine_max == 0 => "no node lies",
            Step::Tamper(MessageId { from, .. }, ..) | Step::Inject(from, ..)
                if from.index() < self.board.size()
                    && !self.board.node(*from).lies
                    && self.liar_count() >= contract.byzantine_max =>
            {
                "no more nodes may lie"
            }
            _ => return Ok(()),
        };
        Err(Refusal::Contract { kind: step.kind(), reason })
    }

    fn notify_reconnected(&mut self, node: NodeId, peer: NodeId) {
        if self.board.stopped().is_none() && self.board.is_up(node) {
            let moment = self.board.begin_moment(node, None);
            self.activate(node, moment, "reconnected", |n, ctx| n.reconnected(peer, ctx));
        }
    }

    /// Reports a lost connection to a node that wants to hear of it.
    fn notify_disconnected(&mut self, node: NodeId, peer: NodeId) {
        let is_wanted = N::HEARS_DISCONNECTED && self.board.contract().loss == Loss::Session;
        if is_wanted && self.board.stopped().is_none() && self.board.is_up(node) {
            let moment = self.board.begin_moment(node, None);
            self.activate(node, moment, "disconnected", |n, ctx| n.disconnected(peer, ctx));
        }
    }

    fn crash(&mut self, node: NodeId, keep: u32) {
        let moment = self.board.begin_moment(node, None);
        let lost = self.board.node(node).unflushed.saturating_sub(keep);
        self.board.note(moment, Noted::Crashed { lost });
        if self.recording == Recording::Full {
            self.state_texts.push("down".into());
        }
        let slot = &mut self.slots[node.index()];
        if let Err(caught) = catch_every_panic(self.caught, || slot.node = None) {
            self.note_panic(node, moment, DROP, caught);
        }
        let slot = &mut self.slots[node.index()];
        let survived = slot.unflushed.drain(..).take(keep as usize);
        let write = || survived.for_each(|write| slot.durable.apply(write));
        if let Err(caught) = catch_every_panic(self.caught, write) {
            self.note_panic(node, moment, "a write to its disk", caught);
        }
        self.board.crash(node);
        for peer in NodeId::first(self.board.size()) {
            if peer != node && !self.board.is_cut(node, peer) {
                self.notify_disconnected(peer, node);
            }
        }
    }

    fn restart(&mut self, node: NodeId) {
        self.board.restart(node);
        if self.boot_node(node).is_err() {
            return;
        }
        let moment = self.board.moments().len() as u32 - 1;
        self.board.note(moment, Noted::Restarted);
        if self.board.contract().loss == Loss::Session {
            for peer in NodeId::first(self.board.size()) {
                if peer == node {
                    continue;
                }
                if self.board.is_up(peer) && !self.board.is_cut(node, peer) {
                    self.notify_reconnected(node, peer);
                    self.notify_reconnected(peer, node);
                } else {
                    self.notify_disconnected(node, peer);
                }
            }
        }
    }

    /// Does a step of a kind that is not done all the time.
    #[inline(never)]
    fn perform_environment_action(&mut self, step: &Step) -> Result<(), Refusal> {
        self.check_contract(step)?;
        match step {
            Step::Deliver(..) | Step::Tick(..) => unreachable!("these are done elsewhere"),
            Step::Drop(id, kind) => {
                let index = self.check_message(*id, *kind)?;
                self.board.begin_step(step);
                self.board.take(index, Fate::Lost);
                self.handle(id.from, |cluster| drop(cluster.take_contents(index)));
            }
            Step::Duplicate(id, kind) => {
                let index = self.check_message(*id, *kind)?;
                self.board.begin_step(step);
                self.handle(id.from, |cluster| {
                    let message = cluster.payloads.get(cluster.places[index.index()]).clone();
                    cluster.board.copy(index);
                    cluster.put_on_network(message);
                });
            }
            Step::Tamper(id, kind, text) => {
                let index = self.check_message(*id, *kind)?;
                let message = decode::<N>(text)?;
                if message.kind() != kind.as_str() {
                    let found = message.kind();
                    return Err(Refusal::Malformed(format!("they are those of a {found}, not of a {kind}")));
                }
                self.board.begin_step(step);
                self.board.node_mut(id.from).lies = true;
                self.handle(id.from, |cluster| {
                    if cluster.recording == Recording::Full {
                        cluster.message_texts[index.index()] = message.describe();
                    }
                    cluster.payloads.replace(cluster.places[index.index()], message);
                });
            }
            Step::Inject(from, to, text) => {
                self.check_node(*from)?;
                self.check_node(*to)?;
                let message = decode::<N>(text)?;
                self.board.begin_step(step);
                self.board.node_mut(*from).lies = true;
                let moment = self.board.begin_moment(*from, None);
                if self.recording == Recording::Full {
                    self.state_texts.push("lies".into());
                }
                self.handle(*from, |cluster| {
                    cluster.board.send(moment, *from, *to, Name::new(message.kind()));
                    cluster.put_on_network(message);
                });
            }
            Step::Fire(node, timer) => {
                self.check_up(*node)?;
                let info = self.board.node(*node);
                let anytime = self.board.contract().timers == Timers::Anytime;
                let at =
                    info.timers.iter().position(|(t, due)| t == timer && (anytime || *due <= info.ticks));
                let at = at.ok_or(Refusal::NoTimer(*node, *timer))?;
                self.board.begin_step(step);
                self.board.node_mut(*node).timers.remove(at);
                let moment = self.board.begin_moment(*node, None);
                self.activate(*node, moment, "fire", |node, ctx| node.fire(*timer, ctx));
            }
            Step::Flush(node) => {
                self.check_up(*node)?;
                if self.slots[node.index()].unflushed.is_empty() {
                    return Err(Refusal::NothingToFlush(*node));
                }
                self.board.begin_step(step);
                let moment = self.board.begin_moment(*node, None);
                let flush = std::iter::once(DiskChange::Flush);
                let slot = &mut self.slots[node.index()];
                let write = || slot.change_disk(flush, *node, &mut self.board);
                match catch_every_panic(self.caught, write) {
                    Ok(()) => self.activate(*node, moment, "flushed", |node, ctx| node.flushed(ctx)),
                    Err(caught) => drop(self.note_panic(*node, moment, "a write to its disk", caught)),
                }
            }
            Step::Request(node, op) => {
                self.check_up(*node)?;
                let request: N::Request =
                    read(|| serde_json::from_str(op).map_err(|error| error.to_string()))?;
                self.board.begin_step(step);
                let moment = self.board.begin_moment(*node, None);
                let id = self.board.request(moment, *node, Arc::clone(op));
                self.activate(*node, moment, "request", |node, ctx| node.request(id, request, ctx));
            }
            Step::Crash { node, keep } => {
                self.check_up(*node)?;
                self.board.begin_step(step);
                self.crash(*node, *keep);
            }
            Step::Restart(node) => {
                self.check_node(*node)?;
                if self.board.is_up(*node) {
                    return Err(Refusal::Up(*node));
                }
                self.board.begin_step(step);
                self.restart(*node);
            }
            Step::Cut(a, b) => {
                self.check_node(*a)?;
                self.check_node(*b)?;
                if a == b {
                    return Err(Refusal::Link(*a, *b, "no link"));
                }
                if self.board.is_cut(*a, *b) {
                    return Err(Refusal::Link(*a, *b, "cut already"));
                }
                self.board.begin_step(step);
                self.board.cut(*a, *b);
                if self.board.is_up(*a) && self.board.is_up(*b) {
                    self.notify_disconnected(*a, *b);
                    self.notify_disconnected(*b, *a);
                }
            }
            Step::Round { kernel, .. } => {
                if let Some(stranger) = kernel.iter().find(|node| node.index() >= self.board.size()) {
                    return Err(Refusal::NoSuchNode(stranger));
                }
                self.board.begin_step(step);
            }
            Step::Heal(a, b) => {
                self.check_node(*a)?;
                self.check_node(*b)?;
                if !self.board.is_cut(*a, *b) {
                    return Err(Refusal::Link(*a, *b, "not cut"));
                }
                self.board.begin_step(step);
                self.board.heal(*a, *b);
                if self.board.contract().loss == Loss::Session && self.board.is_up(*a) && self.board.is_up(*b)
                {
                    self.notify_reconnected(*a, *b);
                    self.notify_reconnected(*b, *a);
                }
            }
        }
        Ok(())
    }
}

impl<N: Node> Cluster for InProcess<N> {
    type State = N::State;

    fn board(&self) -> &Board {
        &self.board
    }

    fn states(&self) -> &[N::State] {
        &self.states
    }

    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        let is_there = matches!(self.board.message(message).fate, Fate::InFlight | Fate::Parked);
        is_there.then(|| self.payloads.get(self.places[message.index()]) as &dyn Any)
    }

    fn perform(&mut self, step: &Step) -> Result<(), Refusal> {
        if self.board.stopped().is_some() {
            return Err(Refusal::Stopped);
        }
        // Nearly all steps are of these two kinds, and no contract forbids them.
        match step {
            Step::Deliver(id, kind) => {
                let index = self.check_message(*id, *kind)?;
                let moment = self.board.begin_delivery(index);
                let place = self.places[index.index()];
                // Contents may be large, so they go straight from their place to the node.
                self.activate(id.to, moment, "receive", |node, ctx| {
                    node.receive(id.from, ctx.payloads.take(place), ctx);
                });
                Ok(())
            }
            Step::Tick(node) => {
                self.check_up(*node)?;
                self.board.begin_tick(*node);
                let moment = self.board.begin_moment(*node, None);
                self.activate(*node, moment, "tick", |node, ctx| node.tick(ctx));
                Ok(())
            }
            step => self.perform_environment_action(step),
        }
    }

    fn close(&mut self) {
        for id in NodeId::first(self.slots.len()) {
            let slot = &mut self.slots[id.index()];
            let (node, durable) = (slot.node.take(), std::mem::take(&mut slot.durable));
            let unflushed = std::mem::take(&mut slot.unflushed);
            self.end(id, DROP, || drop(node));
            self.end_all(id, std::iter::once(durable));
            self.end_all(id, unflushed.into_iter());
        }
        let (payloads, states) = (std::mem::take(&mut self.payloads), std::mem::take(&mut self.states));
        let last = self.last_activated();
        self.end_all(last, payloads.into_contents());
        self.end_all(last, states.into_iter());
        // Threads may have panicked, and nodes may all be down.
        self.end(last, ON_A_THREAD, || {});
    }

    fn finish(self: Box<Self>) -> Trace {
        Trace { board: self.board, message_texts: self.message_texts, states: self.state_texts }
    }
}
