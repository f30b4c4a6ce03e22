//! What raft is ready for, done by its book: save, send, apply, and tell raft that it was done.
//!
//! On a synchronous disk a `Ready` is handled in one go. On a buffered disk it is handled the library's
//! asynchronous way: what must be durable before it is sent is held until the disk is flushed, and meanwhile
//! raft goes on.

use protobuf::Message as _;
use raft::eraftpb::{ConfChange, ConfChangeType, Entry, EntryType, Message as Inner};
use raft::{INVALID_ID, Ready, StateRole};
use shakedown_cluster::{Context, Fact};

use crate::sessions::request_of;
use crate::view::node_of;
use crate::{Answer, DiskMode, RaftMessage, RaftNode, Write};

type Ctx<'a> = Context<'a, RaftNode>;

impl RaftNode {
    #[inline(always)]
    pub(crate) fn handle_readies(&mut self, ctx: &mut Ctx<'_>) {
        while self.raw.has_ready() {
            match self.settings.disk {
                DiskMode::Synchronous => self.handle_at_once(ctx),
                DiskMode::Buffered => self.handle_buffered(ctx),
            }
            self.step_down_if_removed();
        }
    }

    #[inline(never)]
    fn handle_at_once(&mut self, ctx: &mut Ctx<'_>) {
        let mut ready = self.raw.ready();
        send_all(ready.take_messages(), ctx);
        self.save(&mut ready, ctx);
        self.apply_all(ready.take_committed_entries(), ctx);
        send_all(ready.take_persisted_messages(), ctx);
        let mut light = self.raw.advance(ready);
        if let Some(commit) = light.commit_index() {
            self.write(Write::Commit(commit), ctx);
        }
        send_all(light.take_messages(), ctx);
        self.apply_all(light.take_committed_entries(), ctx);
        self.raw.advance_apply();
    }

    fn handle_buffered(&mut self, ctx: &mut Ctx<'_>) {
        let mut ready = self.raw.ready();
        send_all(ready.take_messages(), ctx);
        let installs = !ready.snapshot().is_empty();
        // What raft need not sync is as good as durable, unless something before it is not durable yet.
        let is_durable = !ready.must_sync() && self.unpersisted.is_none();
        self.save(&mut ready, ctx);
        self.apply_all(ready.take_committed_entries(), ctx);
        self.held.append(&mut ready.take_persisted_messages());
        self.unpersisted = Some(ready.number());
        self.raw.advance_append_async(ready);
        if installs {
            // A snapshot is applied before the node does anything else, and raft wants what is applied to be
            // durable: it panics when it campaigns, or is told of the application, before that.
            ctx.flush();
        }
        if installs || is_durable {
            self.persisted(ctx);
        }
        self.raw.advance_apply_to(self.machine.applied());
    }

    /// The library leaves it to its user to do away with a node that is removed while it leads (tikv/raft-rs
    /// issue 373); if nothing is done, it panics when it commits, or persists, anything more. Such a node
    /// steps down here: it may be added again.
    fn step_down_if_removed(&mut self) {
        let raft = &mut self.raw.raft;
        let is_removed = raft.state == StateRole::Leader && raft.prs().get(raft.id).is_none();
        if is_removed && self.settings.step_down_when_removed {
            raft.become_follower(raft.term, INVALID_ID);
        }
    }

    /// Every `Ready` so far is durable.
    pub(crate) fn persisted(&mut self, ctx: &mut Ctx<'_>) {
        if let Some(number) = self.unpersisted.take() {
            self.raw.on_persist_ready(number);
            send_all(std::mem::take(&mut self.held), ctx);
        }
    }

    /// Writes what a `Ready` asks to be saved, as one batch. As with messages and entries, mostly there is
    /// nothing.
    #[inline(always)]
    fn save(&mut self, ready: &mut Ready, ctx: &mut Ctx<'_>) {
        let is_empty = ready.entries().is_empty() && ready.hs().is_none() && ready.snapshot().is_empty();
        if !is_empty {
            self.save_some(ready, ctx);
        }
    }

    fn save_some(&mut self, ready: &mut Ready, ctx: &mut Ctx<'_>) {
        let snapshot =
            if ready.snapshot().is_empty() { None } else { Some(Box::new(ready.snapshot().clone())) };
        if let Some(snapshot) = &snapshot {
            self.machine = self.settings.machine_of(snapshot);
        }
        let hard_state = ready.hs().cloned();
        self.write(Write::Batch { snapshot, entries: ready.take_entries(), hard_state }, ctx);
    }

    /// Writes to the disk, and to what the running node knows of it.
    pub(crate) fn write(&mut self, write: Write, ctx: &mut Ctx<'_>) {
        self.log.follow(&write);
        self.raw.mut_store().follow(&write);
        ctx.write(write);
    }

    #[inline(always)]
    fn apply_all(&mut self, entries: Vec<Entry>, ctx: &mut Ctx<'_>) {
        if !entries.is_empty() {
            self.apply_some(entries, ctx);
        }
    }

    fn apply_some(&mut self, entries: Vec<Entry>, ctx: &mut Ctx<'_>) {
        for entry in &entries {
            let fact = Fact::new("commit").with("index", entry.index).with("term", entry.term);
            let (fact, answer) = self.apply_once(entry, fact);
            self.machine.set_applied(entry.index);
            ctx.emit(fact);
            self.answer(entry, answer, ctx);
        }
    }

    /// Applies an entry, unless it is there for a request that was applied before: then the answer is the
    /// same.
    fn apply_once(&mut self, entry: &Entry, fact: Fact) -> (Fact, Answer) {
        let session = request_of(entry).filter(|_| self.settings.clients.ask_again());
        let Some(id) = session else { return self.apply(entry, fact) };
        if let Some(answer) = self.machine.sessions().get(id) {
            return (fact.with("again", u64::from(id.0) + 1), answer.clone());
        }
        let (fact, answer) = self.apply(entry, fact);
        if let Some(sessions) = self.machine.sessions_mut() {
            sessions.remember(id, &answer);
        }
        (fact, answer)
    }

    /// Applies an entry: adds to the fact what it says, and gives the answer to it.
    fn apply(&mut self, entry: &Entry, fact: Fact) -> (Fact, Answer) {
        let applied = Answer::Applied(entry.index);
        match entry.get_entry_type() {
            EntryType::EntryNormal => match self.machine.put(&entry.data) {
                Some((key, value)) => (fact.with("key", u64::from(key)).with("value", value), applied),
                None => match self.machine.register(&entry.data) {
                    Some((op, answer)) => (fact.with("op", op.to_string()), Answer::Register(answer)),
                    None => (fact, applied),
                },
            },
            EntryType::EntryConfChange => {
                (fact.with("change", self.change_configuration(&entry.data)), applied)
            }
            EntryType::EntryConfChangeV2 => (fact.with("change", "joint"), applied),
        }
    }

    fn change_configuration(&mut self, data: &[u8]) -> String {
        let mut change = ConfChange::default();
        change.merge_from_bytes(data).expect("such entries hold what propose_conf_change wrote");
        // An error says that the change makes no sense, as the same one does on every node: it is passed
        // over.
        if let Ok(conf_state) = self.raw.apply_conf_change(&change) {
            self.machine.set_configuration(conf_state);
        }
        let verb = match change.get_change_type() {
            ConfChangeType::AddNode => "add",
            ConfChangeType::RemoveNode => "remove",
            ConfChangeType::AddLearnerNode => "add learner",
        };
        match node_of(change.node_id) {
            Some(node) => format!("{verb} {node}"),
            None => format!("{verb} nobody"),
        }
    }

    /// Answers the request that the entry came from, if this node was asked.
    fn answer(&mut self, entry: &Entry, answer: Answer, ctx: &mut Ctx<'_>) {
        let Some(asked) = request_of(entry) else { return };
        if let Some(place) = self.waiting.iter().position(|id| *id == asked) {
            let id = self.waiting.swap_remove(place);
            ctx.answer(id, &answer);
        }
    }
}

/// Most of the lists that raft hands over are empty.
#[inline(always)]
fn send_all(messages: Vec<Inner>, ctx: &mut Ctx<'_>) {
    if !messages.is_empty() {
        send_some(messages, ctx);
    }
}

fn send_some(messages: Vec<Inner>, ctx: &mut Ctx<'_>) {
    for message in messages {
        let to = node_of(message.to).expect("raft sends to its peers only");
        ctx.send(to, RaftMessage(message));
    }
}
