//! This Raft followed on the TLA+ model of Raft: its messages and requests in the words of that model.

use std::any::Any;

use shakedown_cluster::RequestId;
use shakedown_rafts::model::{Dialect, RaftMessage, addition_of, removal_of};

use crate::Request;
use crate::protocol::{Command, Entry, Message};
use crate::view::{node_of, server_of};

/// This Raft's messages and requests.
pub struct PlantedDialect;

impl Dialect for PlantedDialect {
    const PASSES_OVER_COMMITTED: bool = false;

    fn message(contents: &dyn Any) -> RaftMessage {
        let Some(message) = contents.downcast_ref::<Message>() else {
            return RaftMessage::Unknown("message of another protocol");
        };
        match *message {
            Message::RequestVote { term, last_index, last_term } => {
                RaftMessage::RequestVote { term, last_index, last_term }
            }
            Message::RequestVoteResponse { term, granted } => RaftMessage::Vote { term, granted },
            Message::Append { term, prev_index, prev_term, ref entries, commit } => {
                let entries = entries.iter().map(|entry| (entry.term, value_of(entry))).collect();
                RaftMessage::Append { term, prev_index, prev_term, entries, commit }
            }
            Message::AppendResponse { term, success, match_index } => {
                RaftMessage::AppendReply { term, success, index: match_index }
            }
            Message::InstallSnapshot { term, ref snapshot } => {
                RaftMessage::Snapshot { term, index: snapshot.index }
            }
            Message::SnapshotResponse { term, match_index } => {
                RaftMessage::AppendReply { term, success: true, index: match_index }
            }
        }
    }

    fn proposal(op: &str) -> Option<i64> {
        match serde_json::from_str(op).ok()? {
            Request::Put(_, value) => Some(small(value)),
            Request::Add(node) => Some(addition_of(node)),
            Request::Remove(node) => Some(removal_of(node)),
            Request::Compact => None,
        }
    }

    fn entry(_id: RequestId, op: &str) -> Option<u64> {
        match serde_json::from_str(op).ok()? {
            Request::Put(key, value) => Some(Command::Put(key, value).digest()),
            Request::Add(node) => Some(Command::Add(server_of(node)).digest()),
            Request::Remove(node) => Some(Command::Remove(server_of(node)).digest()),
            Request::Compact => None,
        }
    }

    fn first_entry() -> u64 {
        Command::Noop.digest()
    }
}

/// A number for an entry: the request that it came from, 0 for the entry that a new leader begins with.
fn value_of(entry: &Entry) -> i64 {
    match entry.command {
        Command::Noop => 0,
        Command::Put(_, value) => small(value),
        Command::Add(server) => addition_of(node_of(server)),
        Command::Remove(server) => removal_of(node_of(server)),
    }
}

fn small(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
