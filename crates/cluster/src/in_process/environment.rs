//! Steps of the environment: what happens to messages, disks, links and nodes, beside deliveries and ticks.

use std::sync::Arc;

use crate::message::Fate;
use crate::node::DiskChange;
use crate::panics::{catch_every_panic, catch_panic};
use crate::{Loss, Message, MessageId, MessageIndex, Name, Node, NodeId, Recording, Refusal, Step, Timers};

use super::refusals::{check_contract, check_message, check_node, check_up};
use super::{InProcess, SETTLE};

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

impl<N: Node> InProcess<N> {
    /// Does a step of a kind that is not done all the time.
    #[inline(never)]
    pub(super) fn perform_environment_action(&mut self, step: &Step) -> Result<(), Refusal> {
        check_contract(&self.board, step)?;
        match step {
            Step::Deliver(..) | Step::Tick(..) => unreachable!("these are done elsewhere"),
            Step::Drop(id, kind) => self.lose(step, *id, *kind)?,
            Step::Duplicate(id, kind) => self.duplicate(step, *id, *kind)?,
            Step::Tamper(id, kind, text) => self.tamper(step, *id, *kind, text)?,
            Step::Inject(from, to, text) => self.inject(step, *from, *to, text)?,
            Step::Fire(node, timer) => self.fire(step, *node, *timer)?,
            Step::Flush(node) => self.flush(step, *node)?,
            Step::Request(node, op) => self.request(step, *node, op)?,
            Step::Retry(node, op) => self.retry(step, *node, op)?,
            Step::Crash { node, keep } => {
                check_up(&self.board, *node)?;
                self.board.begin_step(step);
                self.crash(*node, *keep);
            }
            Step::Restart(node) => {
                check_node(&self.board, *node)?;
                if self.board.is_up(*node) {
                    return Err(Refusal::Up(*node));
                }
                self.board.begin_step(step);
                self.restart(*node);
            }
            Step::Cut(a, b) => self.cut(step, *a, *b)?,
            Step::Round { kernel, .. } => {
                if let Some(stranger) = kernel.iter().find(|node| node.index() >= self.board.size()) {
                    return Err(Refusal::NoSuchNode(stranger));
                }
                self.board.begin_step(step);
            }
            Step::Heal(a, b) => self.heal(step, *a, *b)?,
        }
        Ok(())
    }

    /// A message is lost.
    fn lose(&mut self, step: &Step, id: MessageId, kind: Name) -> Result<(), Refusal> {
        let index = check_message(&self.board, id, kind)?;
        self.board.begin_step(step);
        self.board.take(index, Fate::Lost);
        self.handle(id.from, |cluster| drop(cluster.take_contents(index)));
        Ok(())
    }

    /// A message arrives once more.
    fn duplicate(&mut self, step: &Step, id: MessageId, kind: Name) -> Result<(), Refusal> {
        let index = check_message(&self.board, id, kind)?;
        self.board.begin_step(step);
        self.handle(id.from, |cluster| {
            let message = cluster.payloads.get(cluster.places[index.index()]).clone();
            cluster.board.copy(index);
            cluster.put_on_network(message);
        });
        Ok(())
    }

    /// A liar changes the contents of a message that it has sent.
    fn tamper(&mut self, step: &Step, id: MessageId, kind: Name, text: &str) -> Result<(), Refusal> {
        let index = check_message(&self.board, id, kind)?;
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
        Ok(())
    }

    /// A liar sends a message.
    fn inject(&mut self, step: &Step, from: NodeId, to: NodeId, text: &str) -> Result<(), Refusal> {
        check_node(&self.board, from)?;
        check_node(&self.board, to)?;
        let message = decode::<N>(text)?;
        self.board.begin_step(step);
        self.board.node_mut(from).lies = true;
        let moment = self.board.begin_moment(from, None);
        if self.recording == Recording::Full {
            self.state_texts.push("lies".into());
        }
        self.handle(from, |cluster| {
            cluster.board.send(moment, from, to, Name::new(message.kind()));
            cluster.put_on_network(message);
        });
        Ok(())
    }

    /// A timer fires.
    fn fire(&mut self, step: &Step, node: NodeId, timer: Name) -> Result<(), Refusal> {
        check_up(&self.board, node)?;
        let info = self.board.node(node);
        let anytime = self.board.contract().timers == Timers::Anytime;
        let at = info.timers.iter().position(|(t, due)| *t == timer && (anytime || *due <= info.ticks));
        let at = at.ok_or(Refusal::NoTimer(node, timer))?;
        self.board.begin_step(step);
        self.board.node_mut(node).timers.remove(at);
        let moment = self.board.begin_moment(node, None);
        self.activate(node, moment, "fire", |node, ctx| node.fire(timer, ctx));
        Ok(())
    }

    /// A disk is flushed.
    fn flush(&mut self, step: &Step, node: NodeId) -> Result<(), Refusal> {
        check_up(&self.board, node)?;
        if self.slots[node.index()].unflushed.is_empty() {
            return Err(Refusal::NothingToFlush(node));
        }
        self.board.begin_step(step);
        let moment = self.board.begin_moment(node, None);
        let flush = std::iter::once(DiskChange::Flush);
        let slot = &mut self.slots[node.index()];
        let write = || slot.change_disk(flush, node, &mut self.board);
        match catch_every_panic(self.caught, write) {
            Ok(()) => self.activate(node, moment, "flushed", |node, ctx| node.flushed(ctx)),
            Err(caught) => drop(self.note_panic(node, moment, "a write to its disk", caught)),
        }
        Ok(())
    }

    /// A client sends a request.
    fn request(&mut self, step: &Step, node: NodeId, op: &Arc<str>) -> Result<(), Refusal> {
        check_up(&self.board, node)?;
        let request: N::Request = read(|| serde_json::from_str(op).map_err(|error| error.to_string()))?;
        self.board.begin_step(step);
        let moment = self.board.begin_moment(node, None);
        let id = self.board.request(moment, node, Arc::clone(op));
        self.activate(node, moment, "request", |node, ctx| node.request(id, request, ctx));
        Ok(())
    }

    /// A client asks again.
    fn retry(&mut self, step: &Step, node: NodeId, op: &Arc<str>) -> Result<(), Refusal> {
        check_up(&self.board, node)?;
        let request: N::Request = read(|| serde_json::from_str(op).map_err(|error| error.to_string()))?;
        let waiting = self.board.retriable().find(|(_, request)| request.op == *op);
        let (id, _) = waiting.ok_or_else(|| Refusal::NoClient(Arc::clone(op)))?;
        self.board.begin_step(step);
        let moment = self.board.begin_moment(node, None);
        self.board.retry(moment, node, id);
        self.activate(node, moment, "request", |node, ctx| node.request(id, request, ctx));
        Ok(())
    }

    /// A link is cut.
    fn cut(&mut self, step: &Step, a: NodeId, b: NodeId) -> Result<(), Refusal> {
        check_node(&self.board, a)?;
        check_node(&self.board, b)?;
        if a == b {
            return Err(Refusal::Link(a, b, "no link"));
        }
        if self.board.is_cut(a, b) {
            return Err(Refusal::Link(a, b, "cut already"));
        }
        self.board.begin_step(step);
        self.board.cut(a, b);
        if self.board.is_up(a) && self.board.is_up(b) {
            self.notify_disconnected(a, b);
            self.notify_disconnected(b, a);
        }
        Ok(())
    }

    /// A link is there again.
    fn heal(&mut self, step: &Step, a: NodeId, b: NodeId) -> Result<(), Refusal> {
        check_node(&self.board, a)?;
        check_node(&self.board, b)?;
        if !self.board.is_cut(a, b) {
            return Err(Refusal::Link(a, b, "not cut"));
        }
        self.board.begin_step(step);
        self.board.heal(a, b);
        if self.board.contract().loss == Loss::Session && self.board.is_up(a) && self.board.is_up(b) {
            self.notify_reconnected(a, b);
            self.notify_reconnected(b, a);
        }
        Ok(())
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

    fn take_contents(&mut self, index: MessageIndex) -> N::Message {
        self.payloads.take(self.places[index.index()])
    }
}
