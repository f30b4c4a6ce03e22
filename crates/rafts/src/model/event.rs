//! The events of Raft, and the actions of the model that they stand for.

use shakedown_cluster::{NodeId, NodeSet};
use shakedown_conform::{ActionCall, Value};

/// An event: see the action of the same name in `specs/RaftEvents.tla`, or of the one in its place in
/// `specs/RaftMembershipEvents.tla`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names are the model's own")]
pub enum RaftEvent {
    Campaigns {
        node: NodeId,
        term: u64,
    },
    Wins {
        node: NodeId,
        term: u64,
    },
    Grants {
        from: NodeId,
        to: NodeId,
        term: u64,
        last_index: u64,
        last_term: u64,
    },
    Refuses {
        from: NodeId,
        to: NodeId,
        term: u64,
    },
    Voted {
        from: NodeId,
        to: NodeId,
        term: u64,
        granted: bool,
    },
    Learns {
        node: NodeId,
        term: u64,
    },
    GivesUp {
        node: NodeId,
    },
    Appends {
        node: NodeId,
        term: u64,
        value: i64,
    },
    Receives {
        from: NodeId,
        to: NodeId,
        term: u64,
        prev: (u64, u64),
        entries: Vec<(u64, i64)>,
        leader_commit: u64,
        last: u64,
        commit: u64,
    },
    Hears {
        from: NodeId,
        to: NodeId,
        term: u64,
        commit: u64,
    },
    Replies {
        from: NodeId,
        to: NodeId,
        term: u64,
        success: bool,
        index: u64,
    },
    Commits {
        node: NodeId,
        index: u64,
    },
    Compacts {
        node: NodeId,
        index: u64,
    },
    Installs {
        from: NodeId,
        to: NodeId,
        term: u64,
        index: u64,
        last: u64,
        commit: u64,
        snapshot: u64,
    },
    FindsCommitted {
        node: NodeId,
        index: u64,
    },
    Crashes {
        node: NodeId,
    },
    Restarts {
        node: NodeId,
        commit: u64,
    },
    /// Where the membership changes only, as the next.
    AppendsChange {
        node: NodeId,
        term: u64,
        change: i64,
    },
    GoesBy {
        node: NodeId,
        voters: NodeSet,
    },
    PassesOver {
        from: NodeId,
        to: NodeId,
        term: u64,
        index: u64,
    },
}

impl RaftEvent {
    /// The names of all actions, in the order of the events.
    pub const ACTIONS: &[&str] = &[
        "Campaigns",
        "Wins",
        "Grants",
        "Refuses",
        "Voted",
        "Learns",
        "GivesUp",
        "Appends",
        "Receives",
        "Hears",
        "Replies",
        "Commits",
        "Compacts",
        "Installs",
        "FindsCommitted",
        "Crashes",
        "Restarts",
    ];

    /// The same where the membership changes: `specs/RaftMembershipEvents.tla`.
    pub const ACTIONS_WITH_CHANGES: &[&str] = &[
        "Campaigns",
        "Wins",
        "Grants",
        "Refuses",
        "Voted",
        "Learns",
        "GivesUp",
        "Appends",
        "Receives",
        "Hears",
        "Replies",
        "CommitsAmongVoters",
        "Compacts",
        "Installs",
        "FindsCommittedAmongVoters",
        "Crashes",
        "Restarts",
        "AppendsChange",
        "GoesBy",
        "PassesOver",
    ];

    /// The place of the event's action among [`RaftEvent::ACTIONS`].
    pub fn number(&self) -> usize {
        match self {
            RaftEvent::Campaigns { .. } => 0,
            RaftEvent::Wins { .. } => 1,
            RaftEvent::Grants { .. } => 2,
            RaftEvent::Refuses { .. } => 3,
            RaftEvent::Voted { .. } => 4,
            RaftEvent::Learns { .. } => 5,
            RaftEvent::GivesUp { .. } => 6,
            RaftEvent::Appends { .. } => 7,
            RaftEvent::Receives { .. } => 8,
            RaftEvent::Hears { .. } => 9,
            RaftEvent::Replies { .. } => 10,
            RaftEvent::Commits { .. } => 11,
            RaftEvent::Compacts { .. } => 12,
            RaftEvent::Installs { .. } => 13,
            RaftEvent::FindsCommitted { .. } => 14,
            RaftEvent::Crashes { .. } => 15,
            RaftEvent::Restarts { .. } => 16,
            RaftEvent::AppendsChange { .. } => 17,
            RaftEvent::GoesBy { .. } => 18,
            RaftEvent::PassesOver { .. } => 19,
        }
    }

    /// The action of the model that has these actions: [`RaftEvent::ACTIONS`] or
    /// [`RaftEvent::ACTIONS_WITH_CHANGES`].
    pub fn action(&self, actions: &[&str]) -> ActionCall {
        let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let server = |node: NodeId| Value::Int(node.number() as i64);
        let entry = |&(term, value): &(u64, i64)| {
            Value::record([("term", number(term)), ("value", Value::Int(value))])
        };
        let arguments = match self {
            RaftEvent::Campaigns { node, term } => vec![server(*node), number(*term)],
            RaftEvent::Wins { node, term } => vec![server(*node), number(*term)],
            RaftEvent::Grants { from, to, term, last_index, last_term } => {
                vec![server(*from), server(*to), number(*term), number(*last_index), number(*last_term)]
            }
            RaftEvent::Refuses { from, to, term } => {
                vec![server(*from), server(*to), number(*term)]
            }
            RaftEvent::Voted { from, to, term, granted } => {
                vec![server(*from), server(*to), number(*term), Value::Bool(*granted)]
            }
            RaftEvent::Learns { node, term } => vec![server(*node), number(*term)],
            RaftEvent::GivesUp { node } => vec![server(*node)],
            RaftEvent::Appends { node, term, value } => {
                vec![server(*node), number(*term), Value::Int(*value)]
            }
            RaftEvent::Receives { from, to, term, prev, entries, leader_commit, last, commit } => vec![
                server(*from),
                server(*to),
                number(*term),
                number(prev.0),
                number(prev.1),
                Value::tuple(entries.iter().map(entry).collect()),
                number(*leader_commit),
                number(*last),
                number(*commit),
            ],
            RaftEvent::Hears { from, to, term, commit } => {
                vec![server(*from), server(*to), number(*term), number(*commit)]
            }
            RaftEvent::Replies { from, to, term, success, index } => {
                vec![server(*from), server(*to), number(*term), Value::Bool(*success), number(*index)]
            }
            RaftEvent::Commits { node, index } => vec![server(*node), number(*index)],
            RaftEvent::FindsCommitted { node, index } => {
                vec![server(*node), number(*index)]
            }
            RaftEvent::Compacts { node, index } => vec![server(*node), number(*index)],
            RaftEvent::Installs { from, to, term, index, last, commit, snapshot } => vec![
                server(*from),
                server(*to),
                number(*term),
                number(*index),
                number(*last),
                number(*commit),
                number(*snapshot),
            ],
            RaftEvent::Crashes { node } => vec![server(*node)],
            RaftEvent::Restarts { node, commit } => vec![server(*node), number(*commit)],
            RaftEvent::AppendsChange { node, term, change } => {
                vec![server(*node), number(*term), Value::Int(*change)]
            }
            RaftEvent::GoesBy { node, voters } => {
                vec![server(*node), Value::set(voters.iter().map(server).collect())]
            }
            RaftEvent::PassesOver { from, to, term, index } => {
                vec![server(*from), server(*to), number(*term), number(*index)]
            }
        };
        ActionCall::new(actions[self.number()], arguments)
    }
}
