//! A cluster of servers: steps become signals, messages that are passed on, and requests of clients; what
//! servers do becomes moments, messages and facts on the board.

mod incoming;
mod steps;

use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_cluster::{
    Board, Cluster, MessageIndex, Name, NodeId, Recording, Refusal, RequestId, Setup, Step, Trace,
    check_message, check_up,
};
use shakedown_remote::{PlainMessage, PlainState, Value};

use crate::boot::{Booted, boot};
use crate::client::Callers;
use crate::deployment::TransportKind;
use crate::error::LiveError;
use crate::node::set;
use crate::server::Server;
use crate::settings::{Chosen, Data, Grain, LiveSettings};
use crate::transport::Ticket;

/// The timers by which a server is stopped and goes on.
pub(crate) const PAUSE: Name = Name::new("pause");
pub(crate) const RESUME: Name = Name::new("resume");
/// The most steps that room is made for beforehand.
const ROOM_MAX: usize = 1_000;
/// The first pause between two looks at the processes, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(2));

/// A message that waits.
struct Waiting {
    ticket: Ticket,
    contents: PlainMessage,
}

/// See the module's text.
pub struct LiveCluster {
    pub(crate) board: Board,
    states: Vec<PlainState>,
    pub(crate) chosen: Chosen,
    pub(crate) settings: Arc<LiveSettings>,
    /// It is dropped before the clients are waited for.
    pub(crate) booted: Option<Booted>,
    callers: Option<Callers>,
    waiting: BTreeMap<MessageIndex, Waiting>,
    /// Whether the last crash of a server has left its data alone.
    keeps_data: Vec<bool>,
    began: Instant,
    /// How many requests were answered since the network was healed; see `settle`.
    pub(crate) outcomes: Vec<(RequestId, bool)>,
    recording: Recording,
    message_texts: Vec<String>,
    state_texts: Vec<Arc<str>>,
}

impl LiveCluster {
    /// Starts the servers and waits until they are ready. Until then, everything passes; from then on, steps
    /// decide.
    pub fn boot(settings: Arc<LiveSettings>, setup: &Setup) -> Result<LiveCluster, LiveError> {
        let chosen = Chosen::of(&setup.options).map_err(|error| LiveError::Deployment(error.to_string()))?;
        let mut booted = boot(&settings, setup, &chosen)?;
        booted.transport.set_passage(chosen.grain == Grain::Message, chosen.delay);
        if chosen.data == Data::Snapshot {
            // What servers hold when they are ready is the first copy.
            let what = "the data of a server cannot be copied".to_owned();
            let copied = booted.servers.iter_mut().try_for_each(Server::take_snapshot);
            copied.map_err(|error| LiveError::Io { what, error })?;
        }
        let callers = settings
            .clients
            .as_ref()
            .map(|clients| Callers::new(Arc::clone(clients), booted.addresses.clone()));
        let room = setup.steps.min(ROOM_MAX);
        let mut cluster = LiveCluster {
            board: Board::new(setup.nodes, setup.contract.clone(), setup.workload.clone(), room),
            states: vec![PlainState::default(); setup.nodes],
            chosen,
            settings,
            booted: Some(booted),
            callers,
            waiting: BTreeMap::new(),
            keeps_data: vec![true; setup.nodes],
            began: Instant::now(),
            outcomes: Vec::new(),
            recording: setup.recording,
            message_texts: Vec::new(),
            state_texts: Vec::new(),
        };
        for node in NodeId::first(setup.nodes) {
            cluster.begin_life(node);
        }
        if cluster.has_library() {
            // What servers did when they began is of their first moments.
            cluster.until_quiet(cluster.chosen.quiet);
            cluster.take_in(None);
        }
        Ok(cluster)
    }

    /// Where clients reach the servers, in the order of their numbers.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.booted.as_ref().map_or_else(Vec::new, |booted| booted.addresses.clone())
    }

    /// From now on messages pass by themselves, though they are still read; nothing of it is on the board.
    pub fn let_pass(&mut self) {
        self.set_holding(false);
    }

    /// From now on messages wait for steps again. It needs `grain=message`.
    pub fn hold(&mut self) {
        self.set_holding(self.chosen.grain == Grain::Message);
    }

    fn set_holding(&mut self, is_holding: bool) {
        if let Some(booted) = &mut self.booted {
            booted.transport.set_passage(is_holding, self.chosen.delay);
        }
    }

    /// Whether servers speak to this program, so that their clocks are its own. Otherwise there are proxies
    /// between them, whose messages travel on connections and are lost with them.
    pub(crate) fn has_library(&self) -> bool {
        self.settings.deployment.transport == TransportKind::Library
    }

    /// A server runs, for the first time or again.
    fn begin_life(&mut self, node: NodeId) {
        let info = self.board.node_mut(node);
        info.lives += 1;
        info.unflushed = u32::from(self.chosen.data == Data::Snapshot);
        if self.chosen.pauses {
            info.timers = vec![(PAUSE, 0)];
        }
        let lives = info.lives;
        let state = &mut self.states[node.index()];
        if self.settings.deployment.transport == TransportKind::Library {
            // A new life shows its state anew.
            *state = PlainState::default();
        }
        set(state, "status", Value::Text("runs".to_owned()));
        set(state, "life", Value::Integer(lives.into()));
        self.begin_moment(node);
    }

    pub(crate) fn begin_moment(&mut self, node: NodeId) -> u32 {
        let moment = self.board.begin_moment(node, None);
        self.note_state(node);
        moment
    }

    /// One text for each moment.
    fn note_state(&mut self, node: NodeId) {
        let state = &self.states[node.index()];
        self.board.fingerprinter().add(state);
        if self.recording == Recording::Full {
            self.state_texts.push(format!("{state:?}").into());
        }
    }

    /// Lets servers work until they have dealt with what they were given, nothing moves and all of them
    /// sleep; for the last two, no longer than this. Where they act by their own clocks, it may be asked that
    /// they sleep and nothing has moved for a while.
    pub(crate) fn until_quiet(&mut self, longest: Duration) {
        let nodes = self.board.size();
        let Some(booted) = &mut self.booted else { return };
        let began = Instant::now();
        let (mut pause, mut last_move) = (PAUSES.0, began);
        loop {
            let has_moved = booted.transport.pump();
            if has_moved {
                last_move = Instant::now();
            }
            if began.elapsed() >= self.chosen.acknowledge {
                booted.give_up(nodes);
            }
            if !booted.is_at_work(nodes) {
                let is_over = if !self.chosen.still.is_zero() && !booted.servers.is_empty() {
                    began.elapsed() >= self.chosen.acknowledge
                        || (last_move.elapsed() >= self.chosen.still
                            && booted.servers.iter_mut().all(Server::is_asleep)
                            && !booted.transport.pump())
                } else if booted.servers.is_empty() {
                    // Whether processes of others sleep is not known: they are quiet if nothing has come for
                    // a while.
                    last_move.elapsed() >= longest.max(self.chosen.still)
                        || began.elapsed() >= self.chosen.acknowledge
                } else {
                    longest.is_zero()
                        || began.elapsed() >= longest
                        || (!has_moved
                            && booted.servers.iter_mut().all(Server::is_asleep)
                            && !booted.transport.pump())
                };
                if is_over {
                    return;
                }
            }
            booted.transport.wait(pause, None);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Gives servers this much time, in which what they send is passed on as far as it need not wait.
    pub fn for_a_while(&mut self, time: Duration) {
        let began = Instant::now();
        let Some(booted) = &mut self.booted else { return };
        loop {
            booted.transport.pump();
            let left = time.saturating_sub(began.elapsed());
            if left.is_zero() {
                return;
            }
            booted.transport.wait(left, None);
        }
    }
}

/// The field of an answer that means: this did not happen.
pub(crate) const FAILED: &str = "failed";

impl Cluster for LiveCluster {
    type State = PlainState;

    fn board(&self) -> &Board {
        &self.board
    }

    fn states(&self) -> &[PlainState] {
        &self.states
    }

    fn contents(&self, message: MessageIndex) -> Option<&dyn Any> {
        self.waiting.get(&message).map(|waiting| &waiting.contents as &dyn Any)
    }

    fn perform(&mut self, step: &Step) -> Result<(), Refusal> {
        if self.board.stopped().is_some() {
            return Err(Refusal::Stopped);
        }
        match step {
            Step::Deliver(id, kind) => {
                let index = check_message(&self.board, *id, *kind)?;
                self.deliver(index);
                Ok(())
            }
            Step::Tick(node) => {
                check_up(&self.board, *node)?;
                self.tick(*node);
                Ok(())
            }
            step => self.perform_environment_action(step),
        }
    }

    fn poll(&mut self) {
        if self.board.stopped().is_none() {
            self.until_quiet(self.chosen.quiet);
            self.take_in(None);
        }
    }

    fn settle(&mut self) {
        if self.board.stopped().is_none() {
            self.bring_to_an_end();
        }
    }

    fn close(&mut self) {
        // Clients are waited for when the servers are gone, and ports are given back when the clients are.
        let Some(mut booted) = self.booted.take() else { return };
        booted.servers.clear();
        self.callers = None;
    }

    fn finish(mut self: Box<Self>) -> Trace {
        self.close();
        let this = &mut *self;
        let contract = this.board.contract().clone();
        let board = std::mem::replace(&mut this.board, Board::new(1, contract, Vec::new(), 0));
        Trace {
            board,
            message_texts: std::mem::take(&mut this.message_texts),
            states: std::mem::take(&mut this.state_texts),
        }
    }
}

impl Drop for LiveCluster {
    fn drop(&mut self) {
        self.close();
    }
}
