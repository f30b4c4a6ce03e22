//! A cluster of servers: steps become signals, bytes that are passed on, and requests of clients; what
//! servers do becomes moments and messages on the board.

use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_cluster::{
    Board, Cluster, Fate, MessageIndex, Name, NodeId, Noted, Recording, Refusal, RequestId, Setup, Step,
    Stop, Trace,
};
use shakedown_cluster::{Message, check_contract, check_message, check_node, check_up};
use shakedown_remote::{PlainMessage, PlainState, Value};
use shakedown_wire::{End, Loss};

use crate::boot::{Booted, boot};
use crate::client::{Callers, Outcome};
use crate::error::LiveError;
use crate::network::{Frame, LineId};
use crate::node::{message, set};
use crate::server::Server;
use crate::settings::{Chosen, Data, Grain, LiveSettings};

/// The timers by which a server is stopped and goes on.
pub(crate) const PAUSE: Name = Name::new("pause");
pub(crate) const RESUME: Name = Name::new("resume");
/// The most steps that room is made for beforehand.
const ROOM_MAX: usize = 1_000;
/// The first pause between two looks at the processes, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(2));

/// A message that waits at a proxy.
struct Waiting {
    line: LineId,
    end: End,
    loss: Loss,
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
        let mut booted = boot(&settings, setup.nodes, &chosen)?;
        booted.network.is_holding = chosen.grain == Grain::Message;
        booted.network.delay = chosen.delay;
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
            booted.network.is_holding = is_holding;
        }
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

    /// Lets servers work until nothing moves and all of them sleep, but no longer than this.
    pub(crate) fn until_quiet(&mut self, longest: Duration) {
        let Some(booted) = &mut self.booted else { return };
        let began = Instant::now();
        let mut pause = PAUSES.0;
        loop {
            let has_moved = booted.network.pump();
            if longest.is_zero() {
                return;
            }
            if !has_moved && booted.servers.iter_mut().all(Server::is_asleep) && !booted.network.pump() {
                return;
            }
            if began.elapsed() >= longest {
                return;
            }
            booted.network.wait(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Gives servers this much time, in which what they send is passed on as far as it need not wait.
    pub fn for_a_while(&mut self, time: Duration) {
        let began = Instant::now();
        let Some(booted) = &mut self.booted else { return };
        loop {
            booted.network.pump();
            let left = time.saturating_sub(began.elapsed());
            if left.is_zero() {
                return;
            }
            booted.network.wait(left);
        }
    }

    /// Puts on the board what has happened: messages of the server that a step activated are of its moment,
    /// others of moments of their own.
    pub(crate) fn take_in(&mut self, active: Option<(NodeId, u32)>) {
        let Some(booted) = &mut self.booted else { return };
        for (place, server) in booted.servers.iter().enumerate() {
            booted.network.processes[place] = server.processes();
        }
        let frames = std::mem::take(&mut booted.network.sent);
        let closed = std::mem::take(&mut booted.network.closed);
        if let Some(reason) = booted.network.undecodable.take() {
            self.board.stop(Stop::Broken(reason));
        }
        let (own, others): (Vec<_>, Vec<_>) =
            frames.into_iter().partition(|frame| active.is_some_and(|(node, _)| frame.from == node));
        if let Some((_, moment)) = active {
            own.into_iter().for_each(|frame| self.enter(moment, frame));
        }
        let mut last = None;
        for frame in others {
            let moment = match last {
                Some((node, moment)) if node == frame.from => moment,
                _ => self.begin_moment(frame.from),
            };
            last = Some((frame.from, moment));
            self.enter(moment, frame);
        }
        self.lose_closed(&closed);
        self.take_outcomes();
        self.look_for_trouble();
    }

    /// A message is on the network.
    fn enter(&mut self, moment: u32, frame: Frame) {
        let (from, to) = (frame.from, frame.to);
        if !self.board.is_up(from) || !self.board.is_up(to) {
            // It was on a connection of a server that is gone.
            return;
        }
        let contents = match message(&frame.kind, &frame.fields) {
            Ok(contents) => contents,
            Err(reason) => {
                return self.board.stop(Stop::Broken(format!("{from} sent `{}`: {reason}", frame.kind)));
            }
        };
        let index = self.board.send(moment, from, to, Name::new(contents.kind()));
        contents.digest(self.board.fingerprinter());
        if self.recording == Recording::Full {
            self.message_texts.push(contents.describe());
        }
        set(&mut self.states[from.index()], "sent", Value::Text(contents.kind().to_owned()));
        if self.board.message(index).fate == Fate::InFlight {
            let Frame { line, end, loss, .. } = frame;
            self.waiting.insert(index, Waiting { line, end, loss, contents });
        }
    }

    /// What waits on connections that are over is lost.
    fn lose_closed(&mut self, closed: &[LineId]) {
        if closed.is_empty() {
            return;
        }
        self.lose_where(|_, waiting| closed.contains(&waiting.line));
    }

    fn lose_where(&mut self, is_lost: impl Fn(MessageIndex, &Waiting) -> bool) {
        let lost: Vec<_> = self
            .waiting
            .iter()
            .filter(|(index, waiting)| is_lost(**index, waiting))
            .map(|(index, _)| *index)
            .collect();
        for index in lost {
            self.waiting.remove(&index);
            self.board.lose(index);
        }
    }

    fn take_outcomes(&mut self) {
        while let Some(arrived) = self.callers.as_mut().and_then(Callers::arrived) {
            let is_answered = matches!(arrived.outcome, Outcome::Answer(_));
            self.outcomes.push((arrived.request, is_answered));
            match arrived.outcome {
                Outcome::Answer(answer) => self.answer(arrived.node, arrived.request, answer),
                Outcome::Failed(reason) => {
                    let text = serde_json::json!({ FAILED: reason }).to_string();
                    self.answer(arrived.node, arrived.request, text);
                }
                // It may have happened: it stays without an answer.
                Outcome::Unknown(_) => {}
            }
        }
    }

    fn answer(&mut self, node: NodeId, request: RequestId, answer: String) {
        let moment = self.begin_moment(node);
        self.board.answer(moment, request, answer.into());
    }

    /// A server that ended by itself, or broke a limit, ends the execution.
    fn look_for_trouble(&mut self) {
        let limits = &self.settings.deployment.limits;
        let Some(booted) = &mut self.booted else { return };
        if self.began.elapsed() > Duration::from_secs(limits.seconds) {
            self.board.stop(Stop::Broken(format!("the execution lasted more than {} s", limits.seconds)));
        }
        for server in &mut booted.servers {
            if let Some(trouble) = server.trouble(limits) {
                let reason = format!("{trouble}{}", server.log_end());
                self.board.stop(Stop::Ended(server.node, reason));
                return;
            }
        }
    }

    /// How many requests have no outcome yet.
    pub(crate) fn open_requests(&self) -> usize {
        self.callers.as_ref().map_or(0, Callers::under_way)
    }

    fn deliver(&mut self, index: MessageIndex) {
        let to = self.board.message(index).id.to;
        let moment = self.board.begin_delivery(index);
        self.note_state(to);
        if let (Some(waiting), Some(booted)) = (self.waiting.remove(&index), &mut self.booted) {
            booted.network.deliver(waiting.line, waiting.end);
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((to, moment)));
    }

    fn lose(&mut self, step: &Step, index: MessageIndex) {
        self.board.begin_step(step);
        self.board.take(index, Fate::Lost);
        if let (Some(waiting), Some(booted)) = (self.waiting.remove(&index), &mut self.booted) {
            booted.network.lose(waiting.line, waiting.end, waiting.loss);
        }
        self.take_in(None);
    }

    fn request(&mut self, step: &Step, node: NodeId, op: &Arc<str>) {
        self.board.begin_step(step);
        let moment = self.begin_moment(node);
        let id = self.board.request(moment, node, Arc::clone(op));
        let time = self.chosen.request;
        let sent = match &mut self.callers {
            Some(callers) => callers.send(id, node, op, time),
            None => Err("the target has no client".to_owned()),
        };
        if let Err(reason) = sent {
            let text = serde_json::json!({ FAILED: reason }).to_string();
            self.board.answer(moment, id, text.into());
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
    }

    fn crash(&mut self, step: &Step, node: NodeId, keep: u32) {
        self.board.begin_step(step);
        let lost = self.board.node(node).unflushed.saturating_sub(keep);
        if let Some(booted) = &mut self.booted {
            booted.servers[node.index()].kill();
            // What it has written reaches the others, or would have done so a moment before.
            booted.network.pump();
            booted.network.forget(node);
        }
        self.keeps_data[node.index()] = lost == 0;
        self.take_in(None);
        let state = &mut self.states[node.index()];
        set(state, "status", Value::Text("down".to_owned()));
        let moment = self.begin_moment(node);
        self.board.note(moment, Noted::Crashed { lost });
        let ends = |index| {
            let id = self.board.message(index).id;
            id.from == node || id.to == node
        };
        let lost: Vec<_> = self.waiting.keys().copied().filter(|index| ends(*index)).collect();
        self.lose_where(|index, _| lost.contains(&index));
        self.board.crash(node);
    }

    fn restart(&mut self, step: &Step, node: NodeId) {
        self.board.begin_step(step);
        self.board.restart(node);
        let Some(booted) = &mut self.booted else { return };
        let server = &mut booted.servers[node.index()];
        let prepared = match (self.chosen.data, self.keeps_data[node.index()]) {
            (Data::Lost, _) => server.lose_data(),
            (Data::Snapshot, false) => server.go_back(),
            (Data::Kept, _) | (Data::Snapshot, true) => Ok(()),
        };
        let started = match prepared {
            Ok(()) => server.start().map_err(|error| error.to_string()),
            Err(error) => Err(format!("the data of {node} cannot be changed: {error}")),
        };
        if let Err(reason) = started {
            self.board.stop(Stop::Broken(reason));
        }
        self.begin_life(node);
        let moment = self.board.moments().len() as u32 - 1;
        self.board.note(moment, Noted::Restarted);
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
    }

    /// Stops a server, or lets it go on.
    fn fire(&mut self, step: &Step, node: NodeId, timer: Name) -> Result<(), Refusal> {
        check_up(&self.board, node)?;
        let is_set = self.board.node(node).timers.iter().any(|(known, _)| *known == timer);
        if !is_set {
            return Err(Refusal::NoTimer(node, timer));
        }
        self.board.begin_step(step);
        let is_pause = timer == PAUSE;
        self.board.node_mut(node).timers = vec![(if is_pause { RESUME } else { PAUSE }, 0)];
        let word = if is_pause { "paused" } else { "runs" };
        set(&mut self.states[node.index()], "status", Value::Text(word.to_owned()));
        let moment = self.begin_moment(node);
        let signalled = self.booted.as_mut().and_then(|booted| booted.servers[node.index()].group());
        if let Some(Err(error)) = signalled.map(|group| group.pause(is_pause)) {
            self.board.stop(Stop::Broken(format!("{node} cannot be signalled: {error}")));
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
        Ok(())
    }

    /// Copies the data of a server: the point that a crash goes back to.
    fn flush(&mut self, step: &Step, node: NodeId) {
        self.board.begin_step(step);
        let moment = self.begin_moment(node);
        let copied = self.booted.as_mut().map(|booted| booted.servers[node.index()].take_snapshot());
        if let Some(Err(error)) = copied {
            self.board.stop(Stop::Broken(format!("the data of {node} cannot be copied: {error}")));
        }
        self.take_in(Some((node, moment)));
    }

    fn cut(&mut self, step: &Step, a: NodeId, b: NodeId) {
        self.board.begin_step(step);
        if let Some(booted) = &mut self.booted {
            booted.network.pump();
        }
        self.take_in(None);
        if let Some(booted) = &mut self.booted {
            booted.network.cut(a, b);
        }
        let between: Vec<_> = self
            .waiting
            .keys()
            .copied()
            .filter(|index| {
                let id = self.board.message(*index).id;
                [(a, b), (b, a)].contains(&(id.from, id.to))
            })
            .collect();
        self.lose_where(|index, _| between.contains(&index));
        self.board.cut(a, b);
        self.take_in(None);
    }

    fn heal(&mut self, step: &Step, a: NodeId, b: NodeId) {
        self.board.begin_step(step);
        self.board.heal(a, b);
        if let Some(booted) = &mut self.booted {
            booted.network.heal(a, b);
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(None);
    }

    fn tick(&mut self, node: NodeId) {
        self.board.begin_tick(node);
        let moment = self.begin_moment(node);
        self.for_a_while(self.chosen.tick);
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
    }

    fn perform_environment_action(&mut self, step: &Step) -> Result<(), Refusal> {
        check_contract(&self.board, step)?;
        match step {
            Step::Drop(id, kind) => {
                let index = check_message(&self.board, *id, *kind)?;
                self.lose(step, index);
            }
            Step::Fire(node, timer) => self.fire(step, *node, *timer)?,
            Step::Flush(node) => {
                check_up(&self.board, *node)?;
                if self.chosen.data != Data::Snapshot {
                    return Err(Refusal::NothingToFlush(*node));
                }
                self.flush(step, *node);
            }
            Step::Request(node, op) => {
                check_up(&self.board, *node)?;
                serde_json::from_str::<serde_json::Value>(op)
                    .map_err(|error| Refusal::Malformed(error.to_string()))?;
                self.request(step, *node, op);
            }
            Step::Crash { node, keep } => {
                check_up(&self.board, *node)?;
                self.crash(step, *node, *keep);
            }
            Step::Restart(node) => {
                check_node(&self.board, *node)?;
                if self.board.is_up(*node) {
                    return Err(Refusal::Up(*node));
                }
                self.restart(step, *node);
            }
            Step::Cut(a, b) | Step::Heal(a, b) => self.change_link(step, *a, *b)?,
            Step::Round { kernel, .. } => {
                if let Some(stranger) = kernel.iter().find(|node| node.index() >= self.board.size()) {
                    return Err(Refusal::NoSuchNode(stranger));
                }
                self.board.begin_step(step);
            }
            Step::Deliver(..)
            | Step::Tick(..)
            | Step::Duplicate(..)
            | Step::Tamper(..)
            | Step::Inject(..)
            | Step::Retry(..) => {
                let reason =
                    "connections double no message, no server lies, and clients ask again by themselves";
                return Err(Refusal::Contract { kind: step.kind(), reason });
            }
        }
        Ok(())
    }

    fn change_link(&mut self, step: &Step, a: NodeId, b: NodeId) -> Result<(), Refusal> {
        check_node(&self.board, a)?;
        check_node(&self.board, b)?;
        let is_cut = matches!(step, Step::Cut(..));
        if a == b {
            return Err(Refusal::Link(a, b, "no link"));
        }
        match (self.board.is_cut(a, b), is_cut) {
            (true, true) => Err(Refusal::Link(a, b, "cut already")),
            (false, false) => Err(Refusal::Link(a, b, "not cut")),
            (false, true) => {
                self.cut(step, a, b);
                Ok(())
            }
            (true, false) => {
                self.heal(step, a, b);
                Ok(())
            }
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
