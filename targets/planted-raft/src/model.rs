//! This Raft on the TLA+ model: what its messages and requests are there.

use std::any::Any;

use shakedown_cluster::{NodeId, RequestId};
use shakedown_conform::raft::{Dialect, RaftMapping, RaftMessage, RaftProjection};

use crate::protocol::{Command, Entry, Message};
use crate::{Request, View};

/// The mapping to `specs/RaftEvents.tla`.
pub type Mapping = RaftMapping<View, PlantedDialect>;
/// What can be seen of the variables of `specs/Raft.tla`.
pub type Projection = RaftProjection<View, PlantedDialect>;

/// How this Raft says what it says.
pub struct PlantedDialect;

impl Dialect<View> for PlantedDialect {
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

    fn vote(view: &View) -> Option<NodeId> {
        view.vote
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

/// A number for what an entry says: which request it came from, 0 for the entry that a new leader begins with.
fn value_of(entry: &Entry) -> i64 {
    match entry.command {
        Command::Noop => 0,
        Command::Put(_, value) => value as i64,
        // The model has no changes of membership, and its guide is not to be had where there are any.
        Command::Add(_) | Command::Remove(_) => -1,
    }
}
