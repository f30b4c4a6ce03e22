//! The book-keeping of a board: what clusters do to it.
//!
//! It is public so that clusters can be built elsewhere too; whoever chooses or judges only ever has a board
//! to look at.
//!
//! What happens at every step is inlined whatever the compiler thinks of it: most of its cost would be that
//! of a call.

use std::sync::Arc;

use super::events::Note;
use super::register::Entered;
use super::{Board, IN_FLIGHT_MAX, NodeInfo, Noted, Redirect, RequestInfo, Stop};
use crate::event::Moment;
use crate::message::{Fate, MessageInfo, NO_PLACE};
use crate::{Fingerprinter, MessageId, MessageIndex, Name, NodeId, RequestId, Step};

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

    /// A step begins, of any kind but the two below.
    pub fn begin_step(&mut self, step: &Step) {
        self.fingerprinter.add(step);
        self.steps.push(step.clone());
    }

    /// A message is delivered: the step begins, the message leaves the network, and its receiver is
    /// activated. Its index says which one it is, for the fingerprint knows what was sent.
    #[inline(always)]
    pub fn begin_delivery(&mut self, index: MessageIndex) -> u32 {
        self.fingerprinter.add(&(1 << 62 | u64::from(index.0)));
        let MessageInfo { id, kind, .. } = self.messages[index.index()];
        self.steps.push(Step::Deliver(id, kind));
        let moment = self.begin_moment(id.to, Some(index));
        self.take(index, Fate::Received(moment));
        moment
    }

    /// A tick of a node's clock begins.
    #[inline(always)]
    pub fn begin_tick(&mut self, node: NodeId) {
        self.fingerprinter.add(&(1 << 63 | node.index() as u64));
        self.steps.push(Step::Tick(node));
        self.nodes[node.index()].ticks += 1;
    }

    /// A node is activated, by a message that it receives or otherwise.
    #[inline(always)]
    pub fn begin_moment(&mut self, node: NodeId, received: Option<MessageIndex>) -> u32 {
        let moment = self.moments.len() as u32;
        let (step, sent) = (self.steps.len() as u32, self.messages.len() as u32);
        self.events += u32::from(received.is_some());
        self.moments.push(Moment { step, node, received, sent });
        moment
    }

    /// Something is seen at the last moment that began. What was sent and received is seen without being
    /// noted.
    pub fn note(&mut self, moment: u32, what: Noted) {
        self.events += 1;
        self.notes.push(Note { moment, sent: self.messages.len() as u32, what });
    }

    /// A message is sent: it is under way, waits for its receiver, or is lost at once.
    ///
    /// # Panics
    /// If its kind is not one word; see [`Name::check`].
    #[inline(always)]
    pub fn send(&mut self, moment: u32, from: NodeId, to: NodeId, kind: Name) -> MessageIndex {
        self.events += 1;
        self.enter(moment, from, to, kind, false)
    }

    /// The network makes a copy of a message.
    pub fn copy(&mut self, original: MessageIndex) -> MessageIndex {
        let MessageInfo { id, kind, sent_at, .. } = self.messages[original.index()];
        self.enter(sent_at, id.from, id.to, kind, true)
    }

    #[inline(always)]
    fn enter(&mut self, sent_at: u32, from: NodeId, to: NodeId, kind: Name, is_copy: bool) -> MessageIndex {
        let link = self.link(from, to);
        let index = MessageIndex(self.messages.len() as u32);
        let Entered { series, number, word } = self.register.enter(kind, link);
        let id = MessageId { from, to, number };
        self.fingerprinter.add(&(u64::from(word) | (to.index() as u64) << 32));
        let (fate, place) =
            if self.links[link].cut { (Fate::Lost, NO_PLACE) } else { self.launch(index, id) };
        self.messages.push(MessageInfo { id, kind, sent_at, fate, place, series, is_copy });
        index
    }

    /// A message leaves its sender. Gives what becomes of it, and its place among those that can be
    /// delivered.
    #[inline(always)]
    fn launch(&mut self, index: MessageIndex, id: MessageId) -> (Fate, u32) {
        if !self.is_up(id.to) {
            // Only a session ends with its ends.
            if self.contract.loss == crate::Loss::Session {
                return (Fate::Lost, NO_PLACE);
            }
            self.nodes[id.to.index()].parked.push(index);
            return (Fate::Parked, NO_PLACE);
        }
        self.in_flight += 1;
        if self.in_flight > IN_FLIGHT_MAX {
            self.stop(Stop::Crowded);
        }
        if self.is_fifo() {
            let link = self.link(id.from, id.to);
            self.links[link].queue.push_back(index);
            if self.links[link].queue.len() > 1 {
                return (Fate::InFlight, NO_PLACE);
            }
        }
        (Fate::InFlight, self.offer(index))
    }

    /// A message can be delivered. Gives its place among those.
    #[inline(always)]
    fn offer(&mut self, index: MessageIndex) -> u32 {
        self.deliverable.push(index);
        self.deliverable.len() as u32 - 1
    }

    /// A deliverable message leaves the network.
    #[inline(always)]
    pub fn take(&mut self, index: MessageIndex, fate: Fate) {
        let message = &mut self.messages[index.index()];
        let id = message.id;
        message.fate = fate;
        let place = std::mem::replace(&mut message.place, NO_PLACE);
        self.deliverable.swap_remove(place as usize);
        if let Some(moved) = self.deliverable.get(place as usize) {
            self.messages[moved.index()].place = place;
        }
        self.in_flight -= 1;
        if self.is_fifo() {
            let link = self.link(id.from, id.to);
            let head = self.links[link].queue.pop_front();
            debug_assert_eq!(head, Some(index), "only the head of a link is deliverable");
            if let Some(&next) = self.links[link].queue.front() {
                self.messages[next.index()].place = self.offer(next);
            }
        }
    }

    /// A message that is under way is lost, wherever it stands on its link: the connection that carried it is
    /// gone, while the link has others. One that is not under way stays as it is.
    pub fn lose(&mut self, index: MessageIndex) {
        let MessageInfo { fate, id, place, .. } = self.messages[index.index()];
        match fate {
            Fate::InFlight if place != NO_PLACE => self.take(index, Fate::Lost),
            Fate::InFlight => {
                let link = self.link(id.from, id.to);
                self.links[link].queue.retain(|&other| other != index);
                self.messages[index.index()].fate = Fate::Lost;
                self.in_flight -= 1;
            }
            Fate::Parked | Fate::Received(_) | Fate::Lost => {}
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

    /// A node stops: its timers and unflushed writes are gone, its connections too where the contract has
    /// sessions; other messages wait for it.
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
            let (fate, place) = self.launch(index, self.message(index).id);
            let message = &mut self.messages[index.index()];
            (message.fate, message.place) = (fate, place);
        }
    }

    /// A client asks something.
    pub fn request(&mut self, moment: u32, node: NodeId, op: Arc<str>) -> RequestId {
        let id = RequestId(self.requests.len() as u32);
        self.requests.push(RequestInfo::new(node, op, self.events));
        self.note(moment, Noted::Requested(id));
        id
    }

    /// The client of a request asks again.
    pub fn retry(&mut self, moment: u32, node: NodeId, id: RequestId) {
        if let Some(request) = self.requests.get_mut(id.0 as usize) {
            (request.asked, request.redirect) = (node, None);
            request.tries = request.tries.saturating_add(1);
        }
        self.note(moment, Noted::Requested(id));
    }

    /// The client of a request is sent elsewhere. A node that was asked before and has been given up is not
    /// heard.
    pub fn redirect(&mut self, moment: u32, id: RequestId, redirect: Redirect) {
        let node = self.moments[moment as usize].node;
        self.fingerprinter.add(&(id, redirect));
        if let Some(request) = self.requests.get_mut(id.0 as usize)
            && request.asked == node
            && request.answered.is_none()
        {
            request.redirect = Some(redirect);
        }
        self.note(moment, Noted::Redirected(id));
    }

    /// A request is answered; the first answer counts.
    pub fn answer(&mut self, moment: u32, id: RequestId, answer: Arc<str>) {
        let event = self.events;
        self.fingerprinter.add(&(id, &answer));
        if let Some(request) = self.requests.get_mut(id.0 as usize)
            && request.answered.is_none()
        {
            (request.answered, request.answer) = (Some(event), Some(answer));
        }
        self.note(moment, Noted::Answered(id));
    }
}
