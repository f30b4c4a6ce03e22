//! What servers do becomes moments, messages, facts and answers on the board.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use shakedown_cluster::{Fate, Message, MessageIndex, Name, NodeId, Noted, Recording, RequestId, Stop};
use shakedown_remote::{Plain, PlainMessage, Value, Vocabulary};

use super::{FAILED, LiveCluster, PAUSES, Waiting};
use crate::client::{Callers, Outcome};
use crate::node::set;
use crate::transport::{News, Report, Ticket, Trouble, What};

/// How long a server that has closed its connection may take to end, before it is asked why it runs.
const GONE_TIME: Duration = Duration::from_secs(2);

impl LiveCluster {
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
    pub(super) fn offer(&mut self, node: NodeId, name: Name, due: u64) {
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

    pub(super) fn lose_where(&mut self, is_lost: impl Fn(MessageIndex, &Waiting) -> bool) {
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
    pub(super) fn discard_lost(&mut self) {
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
}
