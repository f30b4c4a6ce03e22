//! A node: the library's `RawNode`, its state machine, and the clients that wait for answers.
//!
//! The library draws election timeouts from the random source of the operating system. Here it draws them
//! from a range so wide that its draw is recognised (and never used, since timeouts are only looked at in a
//! tick): it is replaced, before the activation ends, by a draw from the execution's own seed. The library's
//! hash maps are hashed by fxhash without a seed and hold nothing but node ids, so the order of its messages
//! follows from what it was told.

use std::sync::{Arc, OnceLock};

use raft::eraftpb::{ConfChange, ConfChangeType, Message as Inner};
use raft::{Config, ProgressState, RawNode, SnapshotStatus, StateRole, Storage};
use shakedown_check::RegisterOp;
use shakedown_cluster::{Context, Fact, Node, NodeId, RequestId};
use shakedown_rafts::Role;

use crate::machine::{Machine, encode_put};
use crate::model::value_of;
use crate::settings::Settings;
use crate::spec::{PeerView, Standing};
use crate::view::{find_progress_below_match, node_of, number_of, role_of};
use crate::{Answer, LogStore, LogView, RaftMessage, RaftView, Request, Write};

/// One process that runs the crate `raft`.
pub struct RaftNode {
    pub(crate) raw: RawNode<LogStore>,
    pub(crate) settings: Settings,
    pub(crate) machine: Machine,
    pub(crate) log: LogView,
    /// Requests that are in the log, or on their way into it, by their number.
    pub(crate) waiting: Vec<RequestId>,
    /// What the last `Ready`s said to send once they are durable, while they are not (a buffered disk).
    pub(crate) held: Vec<Inner>,
    /// The number of the last `Ready`, while it is not durable.
    pub(crate) unpersisted: Option<u64>,
    /// How many nodes the cluster has.
    nodes: usize,
    /// Term and role as they were last told.
    reported: (u64, Role),
    /// For how many ticks each peer has been waiting for a snapshot, by its raft id.
    snapshot_ticks: Vec<usize>,
}

impl Node for RaftNode {
    type Message = RaftMessage;
    type Request = Request;
    type Answer = Answer;
    type State = RaftView;
    type Disk = LogStore;

    fn boot(disk: &LogStore, ctx: &mut Context<'_, RaftNode>) -> RaftNode {
        let settings = Settings::of(ctx.options());
        let nodes = ctx.nodes().len();
        let store = if disk.first() == 1 { disk.with_voters(1..=nodes as u64) } else { disk.clone() };
        let machine = settings.machine_of(store.snapshot());
        let log = LogView::of(&store);
        let config = config_of(ctx.id(), &settings, machine.applied());
        let raw = RawNode::new(&config, store, logger()).expect("the settings have been checked");
        let reported = (raw.raft.term, role_of(raw.raft.state));
        let mut node = RaftNode {
            raw,
            settings,
            machine,
            log,
            waiting: Vec::new(),
            held: Vec::new(),
            unpersisted: None,
            nodes,
            reported,
            snapshot_ticks: vec![0; nodes + 1],
        };
        node.settle(ctx);
        node
    }

    fn receive(&mut self, _from: NodeId, message: RaftMessage, ctx: &mut Context<'_, RaftNode>) {
        // An error says that raft dropped the message; as everywhere on this network, nobody is told.
        let _ = self.raw.step(message.0);
        self.settle(ctx);
    }

    fn observe(&self) -> RaftView {
        let mut view = RaftView::default();
        self.show_anew(&mut view);
        view
    }

    #[inline(always)]
    fn observe_again(&self, view: &mut RaftView) -> bool {
        let raft = &self.raw.raft;
        // What the machine has come to, voters too, changes only when something is applied.
        let is_same = view.log.version() == self.log.version()
            && (view.term, view.commit) == (raft.term, raft.raft_log.committed)
            && (view.role, view.applied) == (role_of(raft.state), self.machine.applied())
            && (number_of(view.vote), number_of(view.leader)) == (raft.vote, raft.leader_id)
            && view.progress_below_match == self.progress_below_match()
            && (!self.settings.is_compared || view.standing.as_deref() == self.standing().as_ref());
        if !is_same {
            self.show_anew(view);
        }
        !is_same
    }

    fn tick(&mut self, ctx: &mut Context<'_, RaftNode>) {
        self.raw.tick();
        self.give_up_snapshots();
        self.settle(ctx);
    }

    fn request(&mut self, id: RequestId, request: Request, ctx: &mut Context<'_, RaftNode>) {
        if self.serve_session(id, &request, ctx) {
            return;
        }
        match request {
            Request::Put(key, value) => {
                let proposed = self.raw.propose(context_of(id), encode_put(key, value).to_vec());
                self.await_proposal(id, proposed.is_ok(), ctx);
            }
            Request::Read(key) => self.propose_register(id, RegisterOp::Read(key), ctx),
            Request::Write(key, value) => self.propose_register(id, RegisterOp::Write(key, value), ctx),
            Request::When { key, is, write } => {
                self.propose_register(id, RegisterOp::When { key, is, write }, ctx);
            }
            Request::Add(node) => self.change_membership(id, ConfChangeType::AddNode, node, ctx),
            Request::Remove(node) => self.change_membership(id, ConfChangeType::RemoveNode, node, ctx),
            Request::Compact => {
                self.compact(ctx);
                ctx.answer(id, &Answer::Compacted(self.raw.store().first() - 1));
            }
            Request::Transfer(node) => {
                self.raw.transfer_leader(node.number() as u64);
                ctx.answer(id, &Answer::Asked);
            }
        }
        self.settle(ctx);
    }

    fn flushed(&mut self, ctx: &mut Context<'_, RaftNode>) {
        self.persisted(ctx);
        self.settle(ctx);
    }
}

impl RaftNode {
    /// What its machine holds of a key.
    pub fn value(&self, key: u8) -> Option<u64> {
        self.machine.get(key)
    }

    /// Brings a view up to date, field by field. Seldom needed, so it is kept out of the way of what happens
    /// at every step.
    #[inline(never)]
    fn show_anew(&self, view: &mut RaftView) {
        let raft = &self.raw.raft;
        view.term = raft.term;
        view.vote = node_of(raft.vote);
        view.role = role_of(raft.state);
        view.leader = node_of(raft.leader_id);
        view.commit = raft.raft_log.committed;
        view.applied = self.machine.applied();
        view.machine = self.machine.digest();
        view.log.update(&self.log);
        view.voters = self.machine.voters();
        if self.settings.registers {
            view.registers = Some(Arc::clone(self.machine.values()));
        }
        view.progress_below_match = self.progress_below_match();
        if self.settings.is_compared {
            view.standing = self.standing().map(Arc::new);
        }
    }

    /// What a specification knows of the node besides, if there is one.
    fn standing(&self) -> Option<Standing> {
        if !self.settings.is_compared {
            return None;
        }
        let (raft, store) = (&self.raw.raft, self.raw.store());
        let metadata = store.snapshot().get_metadata();
        let (given, refused, _) = raft.prs().tally_votes();
        let peer = |id: u64| match raft.prs().get(id) {
            Some(progress) if id != raft.id => PeerView::of(progress),
            _ => PeerView::OWN,
        };
        let leads = raft.state == StateRole::Leader;
        Some(Standing {
            snapshot: (metadata.index, metadata.term, self.settings.machine_of(store.snapshot()).digest()),
            entries: store.entries().iter().map(|entry| (entry.term, value_of(entry))).collect(),
            votes: (given, refused),
            peers: if leads { (1..=self.nodes as u64).map(peer).collect() } else { Vec::new() },
            waited: self.snapshot_ticks.iter().skip(1).map(|ticks| *ticks as u64).collect(),
        })
    }

    fn progress_below_match(&self) -> Option<(NodeId, u64, u64)> {
        let raft = &self.raw.raft;
        let is_wanted = self.settings.library_invariants && raft.state == StateRole::Leader;
        if is_wanted { find_progress_below_match(raft.id, raft.prs()) } else { None }
    }

    /// Does everything that raft is ready for, and leaves the node as it may be seen.
    fn settle(&mut self, ctx: &mut Context<'_, RaftNode>) {
        self.handle_readies(ctx);
        let raft = &mut self.raw.raft;
        let election_tick = self.settings.election_tick;
        if raft.randomized_election_timeout() >= 2 * election_tick {
            let more = if self.settings.fixed_timeout { 0 } else { ctx.random().index(election_tick) };
            raft.set_randomized_election_timeout(election_tick + more);
        }
        let now = (raft.term, role_of(raft.state));
        if now != self.reported {
            self.reported = now;
            ctx.emit(Fact::new("role").with("role", now.1.name()).with("term", now.0));
        }
    }

    fn propose_register(&mut self, id: RequestId, op: RegisterOp, ctx: &mut Context<'_, RaftNode>) {
        let data = serde_json::to_vec(&op).expect("it is plain data");
        let proposed = self.raw.propose(context_of(id), data);
        self.await_proposal(id, proposed.is_ok(), ctx);
    }

    fn await_proposal(&mut self, id: RequestId, proposed: bool, ctx: &mut Context<'_, RaftNode>) {
        if proposed {
            if !self.waiting.contains(&id) {
                self.waiting.push(id);
            }
        } else if self.settings.clients.ask_again() {
            ctx.redirect(id, None);
        } else {
            ctx.answer(id, &Answer::Dropped);
        }
    }

    fn change_membership(
        &mut self,
        id: RequestId,
        change: ConfChangeType,
        node: NodeId,
        ctx: &mut Context<'_, RaftNode>,
    ) {
        let change = conf_change(change, node);
        let proposed =
            node.number() <= self.nodes && self.raw.propose_conf_change(context_of(id), change).is_ok();
        self.await_proposal(id, proposed, ctx);
    }

    /// The library asks to be told what became of a snapshot that it had sent. A lost message is noticed by
    /// nobody, so the node does what a transport does: after an election timeout it reports a failure, and
    /// raft tries again. A snapshot that arrives is seen by raft itself in the follower's answer.
    fn give_up_snapshots(&mut self) {
        if self.raw.raft.state != StateRole::Leader {
            return;
        }
        for id in 1..=self.nodes as u64 {
            let progress = self.raw.raft.prs().get(id);
            let waits = progress.is_some_and(|progress| progress.state == ProgressState::Snapshot);
            let ticks = &mut self.snapshot_ticks[id as usize];
            *ticks = if waits { *ticks + 1 } else { 0 };
            if *ticks >= self.settings.election_tick {
                *ticks = 0;
                self.raw.report_snapshot(id, SnapshotStatus::Failure);
            }
        }
    }

    fn compact(&mut self, ctx: &mut Context<'_, RaftNode>) {
        let index = self.machine.applied();
        if index >= self.raw.store().first() {
            let term = self.raw.store().term(index).expect("what is applied and not compacted is in the log");
            let snapshot = self.machine.snapshot(term);
            self.write(Write::Compact(Box::new(snapshot)), ctx);
        }
    }
}

fn config_of(id: NodeId, settings: &Settings, applied: u64) -> Config {
    Config {
        id: id.number() as u64,
        election_tick: settings.election_tick,
        heartbeat_tick: settings.heartbeat_tick,
        // The library draws from this range: a draw below 2 * election_tick, which would be taken for ours,
        // is less likely than 2^-40 even for the longest timeout that can be set.
        min_election_tick: settings.election_tick,
        max_election_tick: usize::MAX,
        pre_vote: settings.pre_vote,
        check_quorum: settings.check_quorum,
        applied,
        ..Config::default()
    }
}

/// A change of one voter.
pub(crate) fn conf_change(change: ConfChangeType, node: NodeId) -> ConfChange {
    let mut conf_change = ConfChange { node_id: node.number() as u64, ..ConfChange::default() };
    conf_change.set_change_type(change);
    conf_change
}

/// The request that an entry came from travels in the entry's context.
pub(crate) fn context_of(id: RequestId) -> Vec<u8> {
    id.0.to_le_bytes().to_vec()
}

/// The logger of all nodes: it writes nothing.
fn logger() -> &'static slog::Logger {
    static LOGGER: OnceLock<slog::Logger> = OnceLock::new();
    LOGGER.get_or_init(|| slog::Logger::root(slog::Discard, slog::o!()))
}
