//! From steps to events: what a step did to a server is seen from the server before and after it.

use std::marker::PhantomData;

use shakedown_cluster::{Board, Cluster, NodeId, NodeSet, Step};
use shakedown_conform::ActionCall;
use shakedown_conform::follow::{EventMapping, Heard};

use super::{Dialect, RaftEvent, RaftMessage};
use crate::{LogEntry, RaftState, Role, Term};

/// The mapping of a Raft that speaks this dialect. With `CHANGES`, the membership changes.
pub struct RaftMapping<S, D, const CHANGES: bool = false> {
    /// The step that is about to be done, and what it is done to.
    pending: Option<Pending>,
    of: PhantomData<fn() -> (S, D)>,
}

impl<S, D, const CHANGES: bool> Default for RaftMapping<S, D, CHANGES> {
    fn default() -> Self {
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
    /// Where the membership changes.
    voters: Option<NodeSet>,
}

impl Server {
    fn of<S: RaftState>(state: &S, changes: bool) -> Server {
        Server {
            term: state.term().number(),
            role: state.role().without_pre_vote(),
            vote: state.vote(),
            commit: state.commit(),
            first: state.first_index(),
            last: state.last_index(),
            voters: state.membership().filter(|_| changes).map(|membership| membership.voters),
        }
    }
}

impl<S: RaftState, D: Dialect, const CHANGES: bool> EventMapping<S> for RaftMapping<S, D, CHANGES> {
    type Event = RaftEvent;
    const ACTIONS: &'static [&'static str] =
        if CHANGES { RaftEvent::ACTIONS_WITH_CHANGES } else { RaftEvent::ACTIONS };

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
        self.pending = state.map(|state| Pending { node, before: Server::of(state, CHANGES), what });
    }

    fn after_step(&mut self, _board: &Board, states: &[S], heard: &mut Heard<RaftEvent>) {
        let Some(Pending { node, before, what }) = self.pending.take() else { return };
        let state = &states[node.index()];
        let after = Server::of(state, CHANGES);
        let mut change =
            Change { node, before, after, term_told: false, role_told: false, values: Vec::new() };
        match what {
            What::Crash => return heard.event(RaftEvent::Crashes { node }),
            What::Restart => {
                heard.event(RaftEvent::Restarts { node, commit: after.commit });
                return change.goes_by(heard);
            }
            What::Request(value) => change.values.extend(value),
            What::Alone => {}
            What::Message(from, message) => {
                change.message(from, message, D::PASSES_OVER_COMMITTED, heard);
            }
        }
        // An implementation may put an entry that says nothing in the place of what was proposed.
        let is_nothing =
            |index| state.entry(index).is_some_and(|entry: LogEntry<_>| entry.digest == D::first_entry());
        change.rest(is_nothing, heard);
        if before != after {
            change.goes_by(heard);
        }
    }

    fn action(event: &RaftEvent) -> ActionCall {
        event.action(<Self as EventMapping<S>>::ACTIONS)
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
                if after.voters.is_some() && commit < index {
                    return heard.event(RaftEvent::PassesOver { from, to, term, index });
                }
                heard.event(RaftEvent::Installs { from, to, term, index, last, commit, snapshot });
                self.before.first = after.first;
            }
            RaftMessage::Proposals(values) => self.values = values,
            RaftMessage::Ignored(sort) => heard.ignore(sort),
            RaftMessage::Unknown(sort) => heard.unknown(sort),
        }
    }

    /// Tells what the server did besides: elections, its own log, its commit index, its snapshot.
    fn rest(&mut self, is_nothing: impl Fn(u64) -> bool, heard: &mut Heard<RaftEvent>) {
        let Change { node, before, after, .. } = *self;
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
            let values = noop.into_iter().chain(self.values.drain(..)).chain(std::iter::repeat(0));
            for (index, value) in (before.last + 1..=after.last).zip(values) {
                let is_change = value < 0 && after.voters.is_some();
                heard.event(match value {
                    _ if is_change && is_nothing(index) => RaftEvent::Appends { node, term, value: 0 },
                    change if is_change => RaftEvent::AppendsChange { node, term, change },
                    value => RaftEvent::Appends { node, term, value },
                });
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

    /// Tells whom the server takes for the voters, where the membership changes.
    fn goes_by(&self, heard: &mut Heard<RaftEvent>) {
        if let Some(voters) = self.after.voters {
            heard.event(RaftEvent::GoesBy { node: self.node, voters });
        }
    }
}
