//! This Raft followed on the TLA+ model of Raft: its messages and requests in the words of that model.

use std::any::Any;

use shakedown_cluster::RequestId;
use shakedown_rafts::model::{Dialect, RaftMessage};

use crate::Request;
use crate::protocol::{Command, Entry, Message};

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
            Request::Put(_, value) => Some(value as i64),
            _ => None,
        }
    }

    fn entry(_id: RequestId, op: &str) -> Option<u64> {
        match serde_json::from_str(op).ok()? {
            Request::Put(key, value) => Some(Command::Put(key, value).digest()),
            _ => None,
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
        Command::Put(_, value) => value as i64,
        // The model has no changes of membership, and its guide is not to be had where there are any.
        Command::Add(_) | Command::Remove(_) => -1,
    }
}
