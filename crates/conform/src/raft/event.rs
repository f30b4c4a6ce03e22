//! The events of Raft, and the actions of the model that they stand for.

use shakedown_cluster::NodeId;
use shakedown_tla::Value;
use shakedown_tla::walk::ActionCall;

/// An event: see the action of the same name in `specs/RaftEvents.tla`.
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
}

impl RaftEvent {
    /// The action of the model.
    pub fn action(&self) -> ActionCall {
        let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let server = |node: NodeId| Value::Int(node.number() as i64);
        let entry = |&(term, value): &(u64, i64)| {
            Value::record([("term", number(term)), ("value", Value::Int(value))])
        };
        let (name, arguments) = match self {
            RaftEvent::Campaigns { node, term } => ("Campaigns", vec![server(*node), number(*term)]),
            RaftEvent::Wins { node, term } => ("Wins", vec![server(*node), number(*term)]),
            RaftEvent::Grants { from, to, term, last_index, last_term } => (
                "Grants",
                vec![server(*from), server(*to), number(*term), number(*last_index), number(*last_term)],
            ),
            RaftEvent::Refuses { from, to, term } => {
                ("Refuses", vec![server(*from), server(*to), number(*term)])
            }
            RaftEvent::Voted { from, to, term, granted } => {
                ("Voted", vec![server(*from), server(*to), number(*term), Value::Bool(*granted)])
            }
            RaftEvent::Learns { node, term } => ("Learns", vec![server(*node), number(*term)]),
            RaftEvent::GivesUp { node } => ("GivesUp", vec![server(*node)]),
            RaftEvent::Appends { node, term, value } => {
                ("Appends", vec![server(*node), number(*term), Value::Int(*value)])
            }
            RaftEvent::Receives { from, to, term, prev, entries, leader_commit, last, commit } => (
                "Receives",
                vec![
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
            ),
            RaftEvent::Hears { from, to, term, commit } => {
                ("Hears", vec![server(*from), server(*to), number(*term), number(*commit)])
            }
            RaftEvent::Replies { from, to, term, success, index } => (
                "Replies",
                vec![server(*from), server(*to), number(*term), Value::Bool(*success), number(*index)],
            ),
            RaftEvent::Commits { node, index } => ("Commits", vec![server(*node), number(*index)]),
            RaftEvent::FindsCommitted { node, index } => {
                ("FindsCommitted", vec![server(*node), number(*index)])
            }
            RaftEvent::Compacts { node, index } => ("Compacts", vec![server(*node), number(*index)]),
            RaftEvent::Installs { from, to, term, index, last, commit, snapshot } => (
                "Installs",
                vec![
                    server(*from),
                    server(*to),
                    number(*term),
                    number(*index),
                    number(*last),
                    number(*commit),
                    number(*snapshot),
                ],
            ),
            RaftEvent::Crashes { node } => ("Crashes", vec![server(*node)]),
            RaftEvent::Restarts { node, commit } => ("Restarts", vec![server(*node), number(*commit)]),
        };
        ActionCall::new(name, arguments)
    }
}
