//! From steps to events: what a step did to a server is seen from the server before and after it.

use std::marker::PhantomData;

use shakedown_cluster::{Board, Cluster, NodeId, Step};
use shakedown_conform::ActionCall;
use shakedown_conform::follow::{EventMapping, Heard};

use super::{Dialect, RaftEvent, RaftMessage};
use crate::{RaftState, Role, Term};

/// The mapping of a Raft that speaks this dialect.
pub struct RaftMapping<S, D> {
    /// The step that is about to be done, and what it is done to.
    pending: Option<Pending>,
    of: PhantomData<fn() -> (S, D)>,
}

impl<S, D> Default for RaftMapping<S, D> {
    fn default() -> RaftMapping<S, D> {
        RaftMapping { pending: None, of: PhantomData }
    }
}

struct Pending {
    node: NodeId,
    before: Server,
    what: What,
}

enum What {
    Message(NodeId, RaftMessage),
    Request(Option<i64>),
    Crash,
    Restart,
    /// A tick, a timer, a flush: the server is on its own.
    Alone,
}

/// What is looked at of a server.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Server {
    term: u64,
    role: Role,
    vote: Option<NodeId>,
    commit: u64,
    first: u64,
    last: u64,
}

impl Server {
    fn of<S: RaftState>(state: &S) -> Server {
        Server {
            term: state.term().number(),
            role: state.role().without_pre_vote(),
            vote: state.vote(),
            commit: state.commit(),
            first: state.first_index(),
            last: state.last_index(),
        }
    }
}

impl<S: RaftState, D: Dialect> EventMapping<S> for RaftMapping<S, D> {
    type Event = RaftEvent;
    const ACTIONS: &'static [&'static str] = RaftEvent::ACTIONS;

    fn number(event: &RaftEvent) -> usize {
        event.number()
    }

    fn before_step(&mut self, step: &Step, cluster: &dyn Cluster<State = S>) {
        let (node, what) = match step {
            Step::Deliver(id, kind) => {
                let contents = cluster.board().find(*id, *kind).and_then(|message| cluster.contents(message));
                let message =
                    contents.map_or(RaftMessage::Unknown("message that cannot be read"), D::message);
                (id.to, What::Message(id.from, message))
            }
            Step::Request(node, op) | Step::Retry(node, op) => (*node, What::Request(D::proposal(op))),
            Step::Crash { node, .. } => (*node, What::Crash),
            Step::Restart(node) => (*node, What::Restart),
            Step::Tick(node) | Step::Fire(node, _) | Step::Flush(node) => (*node, What::Alone),
            // Nothing happens to a server, and the model has no network.
            _ => {
                self.pending = None;
                return;
            }
        };
        let state = cluster.states().get(node.index());
        self.pending = state.map(|state| Pending { node, before: Server::of(state), what });
    }

    fn after_step(&mut self, _board: &Board, states: &[S], heard: &mut Heard<RaftEvent>) {
        let Some(Pending { node, before, what }) = self.pending.take() else { return };
        let after = Server::of(&states[node.index()]);
        let mut change =
            Change { node, before, after, term_told: false, role_told: false, values: Vec::new() };
        match what {
            What::Crash => return heard.event(RaftEvent::Crashes { node }),
            What::Restart => return heard.event(RaftEvent::Restarts { node, commit: after.commit }),
            What::Request(value) => change.values.extend(value),
            What::Alone => {}
            What::Message(from, message) => {
                change.message(from, message, D::PASSES_OVER_COMMITTED, heard);
            }
        }
        change.rest(heard);
    }

    fn action(event: &RaftEvent) -> ActionCall {
        event.action()
    }
}

/// What a step did to a server, while it is told.
struct Change {
    node: NodeId,
    before: Server,
    after: Server,
    /// Whether an event has told of the new term.
    term_told: bool,
    /// Whether an event has told that the server follows a leader now, and what it has heard from it.
    role_told: bool,
    /// What has been proposed, by number.
    values: Vec<i64>,
}

impl Change {
    /// Tells what a message has done.
    fn message(
        &mut self,
        from: NodeId,
        message: RaftMessage,
        passes_over_committed: bool,
        heard: &mut Heard<RaftEvent>,
    ) {
        let Change { node: to, before, after, .. } = *self;
        let is_old = |term: u64| term < before.term;
        match message {
            RaftMessage::RequestVote { term, last_index, last_term } => {
                self.term_told = true;
                if (before.term, before.vote) == (term, Some(from)) {
                    heard.ignore("vote asked for again");
                } else if after.vote == Some(from) && after.term == term {
                    heard.event(RaftEvent::Grants { from, to, term, last_index, last_term });
                } else if after.term > before.term {
                    heard.event(RaftEvent::Refuses { from, to, term });
                } else {
                    heard.ignore("vote refused, nothing changed");
                }
            }
            RaftMessage::Vote { term, granted } => {
                if is_old(term) || (term == before.term && before.role != Role::Candidate) {
                    return heard.ignore("vote that comes too late");
                }
                self.term_told = true;
                heard.event(RaftEvent::Voted { from, to, term, granted });
            }
            RaftMessage::Append { term, .. } if is_old(term) => heard.ignore("append of an older term"),
            RaftMessage::Append { entries, .. } if entries.is_empty() && before == after => {
                heard.ignore("append without entries, nothing changed");
            }
            RaftMessage::Append { term, prev_index, prev_term, entries, commit } => {
                (self.term_told, self.role_told) = (true, true);
                if passes_over_committed && prev_index < before.commit {
                    heard.event(RaftEvent::Hears { from, to, term, commit: before.commit });
                } else {
                    heard.event(RaftEvent::Receives {
                        from,
                        to,
                        term,
                        prev: (prev_index, prev_term),
                        entries,
                        leader_commit: commit,
                        last: after.last,
                        commit: after.commit,
                    });
                }
            }
            RaftMessage::AppendReply { term, success, index } => {
                if is_old(term) || (term == before.term && before.role != Role::Leader) {
                    return heard.ignore("reply that comes too late");
                }
                self.term_told = true;
                heard.event(RaftEvent::Replies { from, to, term, success, index });
            }
            RaftMessage::Heartbeat { .. } if before == after => heard.ignore("heartbeat, nothing changed"),
            RaftMessage::Heartbeat { term } => {
                (self.term_told, self.role_told) = (true, true);
                let commit = if after.commit > before.commit { after.commit } else { 0 };
                heard.event(RaftEvent::Hears { from, to, term, commit });
            }
            RaftMessage::Snapshot { term, .. } if is_old(term) => heard.ignore("snapshot of an older term"),
            RaftMessage::Snapshot { term, index } => {
                (self.term_told, self.role_told) = (true, true);
                let (last, commit, snapshot) = (after.last, after.commit, after.first - 1);
                heard.event(RaftEvent::Installs { from, to, term, index, last, commit, snapshot });
                self.before.first = after.first;
            }
            RaftMessage::Proposals(values) => self.values = values,
            RaftMessage::Ignored(sort) => heard.ignore(sort),
            RaftMessage::Unknown(sort) => heard.unknown(sort),
        }
    }

    /// Tells what the server did besides: elections, its own log, its commit index, its snapshot.
    fn rest(self, heard: &mut Heard<RaftEvent>) {
        let Change { node, before, after, .. } = self;
        let term = after.term;
        if term > before.term && after.vote == Some(node) {
            heard.event(RaftEvent::Campaigns { node, term });
        } else if term > before.term && !self.term_told {
            heard.event(RaftEvent::Learns { node, term });
        } else if term == before.term
            && before.role != Role::Follower
            && after.role == Role::Follower
            && !self.role_told
        {
            heard.event(RaftEvent::GivesUp { node });
        }
        if after.role == Role::Leader {
            let is_new = before.role != Role::Leader || term > before.term;
            if is_new {
                heard.event(RaftEvent::Wins { node, term });
            }
            // A new leader begins with an entry that says nothing.
            let noop = is_new.then_some(0);
            let values = noop.into_iter().chain(self.values).chain(std::iter::repeat(0));
            for (_, value) in (before.last..after.last).zip(values) {
                heard.event(RaftEvent::Appends { node, term, value });
            }
            if after.commit > before.commit {
                heard.event(RaftEvent::Commits { node, index: after.commit });
            }
        } else if after.commit > before.commit && !self.role_told {
            // Not from a leader: some implementations tell it in elections.
            heard.event(RaftEvent::FindsCommitted { node, index: after.commit });
        }
        if after.first > before.first {
            heard.event(RaftEvent::Compacts { node, index: after.first - 1 });
        }
    }
}
