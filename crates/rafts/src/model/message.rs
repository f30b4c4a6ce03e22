//! The messages and requests of an implementation, in Raft's own words.

use std::any::Any;

use shakedown_cluster::{NodeId, RequestId};

/// The contents of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the fields are Raft's own")]
pub enum RaftMessage {
    RequestVote {
        term: u64,
        last_index: u64,
        last_term: u64,
    },
    Vote {
        term: u64,
        granted: bool,
    },
    /// Entries are given by their terms and by numbers for their contents.
    Append {
        term: u64,
        prev_index: u64,
        prev_term: u64,
        entries: Vec<(u64, i64)>,
        commit: u64,
    },
    /// `index` is up to where logs agree, or where the leader should look next.
    AppendReply {
        term: u64,
        success: bool,
        index: u64,
    },
    /// An append without entries that only keeps a follower quiet.
    Heartbeat {
        term: u64,
    },
    Snapshot {
        term: u64,
        index: u64,
    },
    /// Requests that are handed on to the leader, by their numbers.
    Proposals(Vec<i64>),
    /// A message of this sort means nothing to the model.
    Ignored(&'static str),
    /// The mapping does not know what it means.
    Unknown(&'static str),
}

/// How an implementation's messages and requests translate into the words of Raft.
pub trait Dialect {
    /// Whether an append that begins below the commit index of its receiver is answered without being looked
    /// at.
    const PASSES_OVER_COMMITTED: bool;

    /// The contents of a message.
    fn message(contents: &dyn Any) -> RaftMessage;

    /// A number for a request that goes into the log: not below 0, or that of a [change](addition_of) of the
    /// membership. Nothing for other requests.
    fn proposal(op: &str) -> Option<i64>;

    /// What stands for the entry of a request in a log that is seen from outside (`LogEntry::digest`).
    fn entry(id: RequestId, op: &str) -> Option<u64>;

    /// The same for the entry that a new leader begins with.
    fn first_entry() -> u64;
}

/// What stands for the addition of a voter in a log: `Addition` of `specs/RaftMembership.tla`.
pub fn addition_of(node: NodeId) -> i64 {
    -(node.number() as i64)
}

/// What stands for the removal of a voter in a log: `Removal` of `specs/RaftMembership.tla`.
pub fn removal_of(node: NodeId) -> i64 {
    -1_000 - node.number() as i64
}
