//! A cluster whose nodes live in this process: the fast and exactly repeatable kind.

mod end;
mod environment;
mod lives;
mod refusals;
mod slot;

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use crate::board::{Noted, Stop};
use crate::event::Panic;
use crate::message::Fate;
use crate::node::Effects;
use crate::panics::{Caught, CaughtPanics, Way, catch_every_panic};
use crate::payloads::Payloads;
use crate::random::derive_seed;
use crate::{
    Board, Cluster, Context, Contract, Environment, Message, MessageIndex, Name, Node, NodeId, Options,
    Random, Recording, Refusal, Step, Trace,
};

pub use refusals::{check_contract, check_message, check_node, check_up};
use slot::{Slot, change_timer};

/// What a node is doing when it boots, when it is looked at, and when its messages and state are taken in.
const BOOT: &str = "boot";
const OBSERVE: &str = "observe";
const SETTLE: &str = "the hash, kind or text of a message or state";

/// What a node is doing when it is dropped, in a crash or at the end.
const DROP: &str = "its drop";
/// Where a panic on a thread of the target happened. Which node started the thread is not known: it stands
/// under the one that ran when the panic was noticed.
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

    /// Calls the node, looks at it, and carries out what it did. All of it may panic: messages and states are
    /// the protocol's own types. Every step goes through here, so it is inlined whatever the compiler thinks
    /// of it.
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
        // What the node sent before it panicked is not sent: the moment did not come to its end. The contents
        // stay where they are, for the cluster does nothing any more.
        self.effects.clear();
        self.board.fingerprinter().add(&(&panic.message, &panic.place));
        self.board.note(moment, Noted::Panicked(Box::new(panic.clone())));
        self.board.stop(Stop::Panicked(node, panic.clone()));
        if self.recording == Recording::Full {
            // There is one text for each moment, and a call that caught its panic has shown its state
            // already.
            self.state_texts.truncate(moment as usize);
            self.state_texts.push(format!("{panic}").into());
        }
        panic
    }

    /// Carries out what the node did in this moment: disk first, for what is flushed before a message leaves
    /// must survive a crash that comes after it.
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
        if !effects.redirects.is_empty() {
            for (id, redirect) in effects.redirects.drain(..) {
                board.redirect(moment, id, redirect);
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
                let index = check_message(&self.board, *id, *kind)?;
                let moment = self.board.begin_delivery(index);
                let place = self.places[index.index()];
                // Contents may be large, so they go straight from their place to the node.
                self.activate(id.to, moment, "receive", |node, ctx| {
                    node.receive(id.from, ctx.payloads.take(place), ctx);
                });
                Ok(())
            }
            Step::Tick(node) => {
                check_up(&self.board, *node)?;
                self.board.begin_tick(*node);
                let moment = self.board.begin_moment(*node, None);
                self.activate(*node, moment, "tick", |node, ctx| node.tick(ctx));
                Ok(())
            }
            step => self.perform_environment_action(step),
        }
    }

    fn close(&mut self) {
        self.end_lives();
    }

    fn finish(self: Box<Self>) -> Trace {
        Trace { board: self.board, message_texts: self.message_texts, states: self.state_texts }
    }
}
