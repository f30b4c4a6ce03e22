//! A node: carries out what the protocol decides, and tells of it.

use std::sync::Arc;

use shakedown_cluster::{Context, Fact, Node, NodeId, RequestId, Saved};

use crate::protocol::{Command, Durable, Entry, Message, Output, Raft, Role};
use crate::settings;
use crate::view::{node_of, role_of, server_of};
use crate::{Answer, Request, View};

/// One process that runs the protocol.
pub struct RaftNode {
    raft: Raft,
    election_tick: u64,
    /// What is on the disk.
    saved: Option<Durable>,
    /// Term and role as they were last told.
    reported: (u64, Role),
    /// Requests that are in the log: the index and the term of their entries.
    waiting: Vec<(u64, u64, RequestId)>,
}

type Ctx<'a> = Context<'a, RaftNode>;

impl Node for RaftNode {
    type Message = Message;
    type Request = Request;
    type Answer = Answer;
    type State = View;
    type Disk = Saved<Option<Durable>>;

    fn boot(disk: &Self::Disk, ctx: &mut Ctx<'_>) -> RaftNode {
        let settings = settings::read(ctx.options(), ctx.nodes().len())
            .unwrap_or_else(|error| panic!("the target has checked its options: {error}"));
        let raft = Raft::boot(server_of(ctx.id()), settings, disk.0.as_ref());
        let mut node = RaftNode {
            election_tick: settings.election_tick,
            saved: disk.0.clone(),
            reported: (raft.term(), raft.role()),
            waiting: Vec::new(),
            raft,
        };
        node.perform(ctx);
        node
    }

    fn receive(&mut self, from: NodeId, message: Message, ctx: &mut Ctx<'_>) {
        self.raft.receive(server_of(from), message);
        self.perform(ctx);
    }

    fn observe(&self) -> View {
        View::of(&self.raft)
    }

    fn observe_again(&self, view: &mut View) -> bool {
        view.update(&self.raft)
    }

    fn tick(&mut self, ctx: &mut Ctx<'_>) {
        self.raft.tick();
        self.perform(ctx);
    }

    fn request(&mut self, id: RequestId, request: Request, ctx: &mut Ctx<'_>) {
        let known = |node: NodeId| (node.index() < ctx.nodes().len()).then(|| server_of(node));
        match request {
            Request::Put(key, value) => self.propose(id, Some(Command::Put(key, value)), ctx),
            Request::Add(node) => self.propose(id, known(node).map(Command::Add), ctx),
            Request::Remove(node) => self.propose(id, known(node).map(Command::Remove), ctx),
            Request::Compact => self.compact(id, ctx),
        }
        self.perform(ctx);
    }
}

impl RaftNode {
    fn propose(&mut self, id: RequestId, command: Option<Command>, ctx: &mut Ctx<'_>) {
        match command.and_then(|command| self.raft.client_request(command)) {
            Some(index) => self.waiting.push((index, self.raft.term(), id)),
            None => ctx.answer(id, &Answer::Dropped),
        }
    }

    fn compact(&mut self, id: RequestId, ctx: &mut Ctx<'_>) {
        let before = self.raft.log().snapshot().index;
        let index = self.raft.update_snapshot_index();
        if index > before {
            ctx.emit(Fact::new("snapshot").with("index", index));
        }
        ctx.answer(id, &Answer::Compacted(index));
    }

    /// Saves, tells, sends and answers what has come of a call.
    fn perform(&mut self, ctx: &mut Ctx<'_>) {
        if self.raft.wants_patience() {
            self.raft.set_patience(self.election_tick + ctx.random().below(self.election_tick));
        }
        self.save(ctx);
        let now = (self.raft.term(), self.raft.role());
        if now != self.reported {
            self.reported = now;
            ctx.emit(Fact::new("role").with("role", role_of(now.1).name()).with("term", now.0));
        }
        let RaftNode { raft, waiting, .. } = self;
        for output in raft.outputs() {
            match output {
                Output::Send(to, message) => ctx.send(node_of(to), message),
                Output::Committed(index, entry) => {
                    ctx.emit(committed(index, entry));
                    answer(waiting, index, entry.term, ctx);
                }
            }
        }
    }

    fn save(&mut self, ctx: &mut Ctx<'_>) {
        let durable = self.raft.durable();
        let is_saved = self.saved.as_ref().is_some_and(|saved| {
            (saved.term, saved.vote) == (durable.term, durable.vote) && Arc::ptr_eq(&saved.log, &durable.log)
        });
        if !is_saved {
            self.saved = Some(durable.clone());
            ctx.write(Some(durable));
        }
    }
}

/// Answers the requests whose place in the log is decided: this entry is committed there.
fn answer(waiting: &mut Vec<(u64, u64, RequestId)>, index: u64, term: u64, ctx: &mut Ctx<'_>) {
    waiting.retain(|&(wanted, made_in, id)| {
        if wanted == index {
            ctx.answer(id, &if made_in == term { Answer::Applied(index) } else { Answer::Dropped });
        }
        wanted != index
    });
}

fn committed(index: u64, entry: Entry) -> Fact {
    let fact = Fact::new("commit").with("index", index).with("term", entry.term);
    match entry.command {
        Command::Noop => fact,
        Command::Put(key, value) => fact.with("key", u64::from(key)).with("value", value),
        Command::Add(server) => fact.with("change", format!("add {}", node_of(server))),
        Command::Remove(server) => fact.with("change", format!("remove {}", node_of(server))),
    }
}
