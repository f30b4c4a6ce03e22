//! A cluster of servers: steps become signals, messages that are passed on, and requests of clients; what
//! servers do becomes moments, messages and facts on the board.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use shakedown_cluster::{
    Board, Cluster, Fate, MessageIndex, Name, NodeId, Noted, Recording, Refusal, RequestId, Setup, Step,
    Stop, Trace,
};
use shakedown_cluster::{Message, check_contract, check_message, check_node, check_up};
use shakedown_remote::{Plain, PlainMessage, PlainState, Value, Vocabulary};

use crate::boot::{Booted, boot};
use crate::client::{Callers, Outcome};
use crate::deployment::TransportKind;
use crate::error::LiveError;
use crate::node::set;
use crate::server::Server;
use crate::settings::{Chosen, Data, Grain, LiveSettings};
use crate::transport::{News, Report, Ticket, Trouble, What};

/// The timers by which a server is stopped and goes on.
pub(crate) const PAUSE: Name = Name::new("pause");
pub(crate) const RESUME: Name = Name::new("resume");
/// The most steps that room is made for beforehand.
const ROOM_MAX: usize = 1_000;
/// The first pause between two looks at the processes, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(2));

/// How long a server that has closed its connection may take to end, before it is asked why it runs.
const GONE_TIME: Duration = Duration::from_secs(2);

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
    /// sleep; for the last two, no longer than this.
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
                let is_over = if booted.servers.is_empty() {
                    // Whether processes of others sleep is not known: they are quiet if nothing has come for
                    // a while.
                    last_move.elapsed() >= longest || began.elapsed() >= self.chosen.acknowledge
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

    /// Puts on the board what has happened: what the server did that a step activated is of its moment, the
    /// rest of moments of their own.
    pub(crate) fn take_in(&mut self, active: Option<(NodeId, u32)>) {
        let Some(booted) = &mut self.booted else { return };
        for server in &booted.servers {
            booted.transport.set_processes(server.node, server.processes());
        }
        let News { reports, lost, trouble } = booted.transport.news();
        if let Some(trouble) = trouble {
            self.stop_for(trouble);
        }
        let (own, others): (Vec<_>, Vec<_>) =
            reports.into_iter().partition(|report| active.is_some_and(|(node, _)| report.node == node));
        if let Some((node, moment)) = active {
            self.enter_all(moment, node, own);
        }
        let mut others = others.into_iter().peekable();
        while let Some(first) = others.next() {
            let node = first.node;
            let mut reports = vec![first];
            while let Some(next) = others.next_if(|report| report.node == node) {
                reports.push(next);
            }
            let moment = self.begin_moment(node);
            self.enter_all(moment, node, reports);
        }
        let lost: BTreeSet<Ticket> = lost.into_iter().collect();
        if !lost.is_empty() {
            self.lose_where(|_, waiting| lost.contains(&waiting.ticket));
        }
        self.take_outcomes();
        self.look_for_trouble();
    }

    /// The execution cannot go on.
    fn stop_for(&mut self, trouble: Trouble) {
        let stop = match trouble {
            Trouble::Unreadable(reason) => Stop::Broken(reason),
            Trouble::Gone(node) if self.settings.deployment.listen.is_some() => {
                Stop::Broken(format!("{node} has closed its connection"))
            }
            Trouble::Gone(node) => {
                // A process closes its connections before it ends.
                let began = Instant::now();
                while began.elapsed() < GONE_TIME && self.board.stopped().is_none() {
                    self.look_for_trouble();
                    std::thread::sleep(PAUSES.1);
                }
                Stop::Broken(format!("{node} has closed its connection, and runs on"))
            }
        };
        self.board.stop(stop);
    }

    /// What a server did in one moment.
    fn enter_all(&mut self, moment: u32, node: NodeId, reports: Vec<Report>) {
        let mut has_changed = false;
        for report in reports {
            has_changed |= matches!(report.what, What::State(_));
            self.enter(moment, node, report.what);
        }
        if has_changed {
            let state = &self.states[node.index()];
            self.board.fingerprinter().add(state);
            if self.recording == Recording::Full {
                self.state_texts[moment as usize] = format!("{state:?}").into();
            }
        }
    }

    fn enter(&mut self, moment: u32, node: NodeId, what: What) {
        match what {
            What::Sent { to, contents, ticket } => self.enter_message(moment, node, to, contents, ticket),
            What::Fact(fact) => {
                self.board.fingerprinter().add(&fact);
                self.board.note(moment, Noted::Internal(fact));
            }
            What::State(fields) => {
                // Plain states take every field.
                let _ = Plain::change(&mut self.states[node.index()], fields);
            }
            What::TimerSet(timer, time) => {
                let tick = self.chosen.tick.max(Duration::from_millis(1));
                let ticks = time.as_nanos().div_ceil(tick.as_nanos());
                let due = self.board.node(node).ticks.saturating_add(ticks.try_into().unwrap_or(u64::MAX));
                self.offer(node, timer, due);
            }
            What::TimerCleared(timer) => {
                self.board.node_mut(node).timers.retain(|(known, _)| *known != timer);
            }
            What::Answered(request, answer) => {
                self.outcomes.push((request, answer.get(FAILED).is_none()));
                self.board.answer(moment, request, answer.to_string().into());
            }
            What::Asked(action) => self.offer(node, action, 0),
        }
    }

    /// A timer can go off when it is due, or an action can be allowed.
    fn offer(&mut self, node: NodeId, name: Name, due: u64) {
        let timers = &mut self.board.node_mut(node).timers;
        match timers.iter_mut().find(|(known, _)| *known == name) {
            Some(timer) => timer.1 = due,
            None => timers.push((name, due)),
        }
    }

    /// A message is on the network.
    fn enter_message(
        &mut self,
        moment: u32,
        from: NodeId,
        to: NodeId,
        contents: PlainMessage,
        ticket: Ticket,
    ) {
        let is_there = self.board.is_up(from) && self.board.is_up(to);
        if !self.has_library() && !is_there {
            // It was on a connection of a server that is gone.
            return;
        }
        let index = self.board.send(moment, from, to, Name::new(contents.kind()));
        contents.digest(self.board.fingerprinter());
        if self.recording == Recording::Full {
            self.message_texts.push(contents.describe());
        }
        if !self.has_library() {
            set(&mut self.states[from.index()], "sent", Value::Text(contents.kind().to_owned()));
        }
        match self.board.message(index).fate {
            Fate::InFlight | Fate::Parked => drop(self.waiting.insert(index, Waiting { ticket, contents })),
            _ if self.has_library() => self.discard(ticket),
            // What is behind it on its connection waits too, until the connection ends.
            _ => {}
        }
    }

    /// A message is not kept any longer.
    fn discard(&mut self, ticket: Ticket) {
        if let Some(booted) = &mut self.booted {
            booted.transport.lose(ticket);
        }
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

    /// Discards what the board has lost, where messages are not lost with connections.
    fn discard_lost(&mut self) {
        if !self.has_library() {
            return;
        }
        let board = &self.board;
        let is_lost =
            |index: MessageIndex| !matches!(board.message(index).fate, Fate::InFlight | Fate::Parked);
        let lost: Vec<_> = self.waiting.keys().copied().filter(|index| is_lost(*index)).collect();
        for index in lost {
            if let Some(waiting) = self.waiting.remove(&index) {
                self.discard(waiting.ticket);
            }
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

    /// How many requests have no outcome yet and will have one: clients give up after a time. What servers
    /// take through the library has no such time, and counts where everything has to be answered.
    pub(crate) fn open_requests(&self) -> usize {
        let under_way = self.callers.as_ref().map_or(0, Callers::under_way);
        let taken = self.booted.as_ref().filter(|_| self.settings.deployment.answers.is_some());
        under_way + taken.map_or(0, |booted| booted.transport.open_requests())
    }

    fn deliver(&mut self, index: MessageIndex) {
        let to = self.board.message(index).id.to;
        let moment = self.board.begin_delivery(index);
        self.note_state(to);
        if let (Some(waiting), Some(booted)) = (self.waiting.remove(&index), &mut self.booted) {
            booted.transport.deliver(waiting.ticket);
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((to, moment)));
    }

    fn lose(&mut self, step: &Step, index: MessageIndex) {
        self.board.begin_step(step);
        self.board.take(index, Fate::Lost);
        if let (Some(waiting), Some(booted)) = (self.waiting.remove(&index), &mut self.booted) {
            booted.transport.lose(waiting.ticket);
        }
        self.take_in(None);
    }

    fn double(&mut self, step: &Step, index: MessageIndex) {
        let (Some(waiting), Some(booted)) = (self.waiting.get(&index), &mut self.booted) else { return };
        let Some(ticket) = booted.transport.double(waiting.ticket) else { return };
        let contents = waiting.contents.clone();
        self.board.begin_step(step);
        let copy = self.board.copy(index);
        if self.recording == Recording::Full {
            self.message_texts.push(contents.describe());
        }
        self.waiting.insert(copy, Waiting { ticket, contents });
        self.take_in(None);
    }

    fn request(&mut self, step: &Step, node: NodeId, op: &Arc<str>) {
        self.board.begin_step(step);
        let moment = self.begin_moment(node);
        let id = self.board.request(moment, node, Arc::clone(op));
        let time = self.chosen.request;
        let json = serde_json::from_str(op).unwrap_or_default();
        let is_taken = self.booted.as_mut().is_some_and(|booted| booted.transport.request(node, id, &json));
        let sent = match &mut self.callers {
            _ if is_taken => Ok(()),
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
            booted.transport.pump();
            booted.transport.forget(node);
        }
        self.keeps_data[node.index()] = lost == 0;
        self.take_in(None);
        let state = &mut self.states[node.index()];
        set(state, "status", Value::Text("down".to_owned()));
        let moment = self.begin_moment(node);
        self.board.note(moment, Noted::Crashed { lost });
        if !self.has_library() {
            let ends = |index| {
                let id = self.board.message(index).id;
                id.from == node || id.to == node
            };
            let lost: Vec<_> = self.waiting.keys().copied().filter(|index| ends(*index)).collect();
            self.lose_where(|index, _| lost.contains(&index));
        }
        self.board.crash(node);
        self.discard_lost();
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
        if let Err(reason) = started.and_then(|()| self.wait_for_registration(node)) {
            self.board.stop(Stop::Broken(reason));
        }
        self.begin_life(node);
        let moment = self.board.moments().len() as u32 - 1;
        self.board.note(moment, Noted::Restarted);
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
    }

    /// Waits until a server that was started again has said who it is, or has ended.
    fn wait_for_registration(&mut self, node: NodeId) -> Result<(), String> {
        let Some(booted) = &mut self.booted else { return Ok(()) };
        let (began, time) = (Instant::now(), self.settings.deployment.ready.time());
        while let Some(missing) = booted.transport.missing(node) {
            let server = &mut booted.servers[node.index()];
            if server.group().is_some_and(|group| group.ended().is_some()) {
                // That it ended is found when it is looked at.
                return Ok(());
            }
            if began.elapsed() > time {
                let log = server.log_end();
                let seconds = time.as_secs();
                return Err(format!(
                    "{node} was not ready within {seconds} s of its restart ({missing}){log}"
                ));
            }
            booted.transport.pump();
            booted.transport.wait(PAUSES.1, None);
        }
        Ok(())
    }

    /// A timer goes off, or an action is allowed; or a server is stopped, or goes on.
    fn fire(&mut self, step: &Step, node: NodeId, timer: Name) -> Result<(), Refusal> {
        check_up(&self.board, node)?;
        if !self.board.ripe_timers().any(|ripe| ripe == (node, timer)) {
            return Err(Refusal::NoTimer(node, timer));
        }
        self.board.begin_step(step);
        if [PAUSE, RESUME].contains(&timer) {
            self.pause(node, timer == PAUSE);
            return Ok(());
        }
        self.board.node_mut(node).timers.retain(|(known, _)| *known != timer);
        let moment = self.begin_moment(node);
        if self.booted.as_mut().is_some_and(|booted| booted.transport.fire(node, timer)) {
            self.offer(node, timer, 0);
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
        Ok(())
    }

    /// Stops a server, or lets it go on.
    fn pause(&mut self, node: NodeId, is_pause: bool) {
        let (old, new) = if is_pause { (PAUSE, RESUME) } else { (RESUME, PAUSE) };
        let timers = &mut self.board.node_mut(node).timers;
        if let Some(timer) = timers.iter_mut().find(|(known, _)| *known == old) {
            timer.0 = new;
        }
        let word = if is_pause { "paused" } else { "runs" };
        set(&mut self.states[node.index()], "status", Value::Text(word.to_owned()));
        let moment = self.begin_moment(node);
        let signalled = self.booted.as_mut().and_then(|booted| booted.servers[node.index()].group());
        if let Some(Err(error)) = signalled.map(|group| group.pause(is_pause)) {
            self.board.stop(Stop::Broken(format!("{node} cannot be signalled: {error}")));
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
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
            booted.transport.pump();
        }
        self.take_in(None);
        if let Some(booted) = &mut self.booted {
            booted.transport.cut(a, b);
        }
        if !self.has_library() {
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
        }
        self.board.cut(a, b);
        self.discard_lost();
        self.take_in(None);
    }

    fn heal(&mut self, step: &Step, a: NodeId, b: NodeId) {
        self.board.begin_step(step);
        self.board.heal(a, b);
        if let Some(booted) = &mut self.booted {
            booted.transport.heal(a, b);
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(None);
    }

    fn tick(&mut self, node: NodeId) {
        self.board.begin_tick(node);
        let moment = self.begin_moment(node);
        if !self.has_library() {
            self.for_a_while(self.chosen.tick);
        }
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
            Step::Duplicate(id, kind) if self.has_library() => {
                let index = check_message(&self.board, *id, *kind)?;
                self.double(step, index);
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
