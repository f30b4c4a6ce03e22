//! What each kind of step does to servers and to what is between them.

use std::sync::Arc;
use std::time::Instant;

use shakedown_cluster::{
    Fate, Message, MessageIndex, Name, NodeId, Noted, Recording, Refusal, Step, Stop, check_contract,
    check_message, check_node, check_up,
};
use shakedown_remote::Value;

use super::{FAILED, LiveCluster, PAUSE, PAUSES, RESUME, Waiting};
use crate::node::set;
use crate::settings::Data;

impl LiveCluster {
    pub(super) fn deliver(&mut self, index: MessageIndex) {
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

    pub(super) fn tick(&mut self, node: NodeId) {
        self.board.begin_tick(node);
        let moment = self.begin_moment(node);
        if !self.has_library() {
            self.for_a_while(self.chosen.tick);
        }
        self.until_quiet(self.chosen.quiet);
        self.take_in(Some((node, moment)));
    }

    pub(super) fn perform_environment_action(&mut self, step: &Step) -> Result<(), Refusal> {
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
