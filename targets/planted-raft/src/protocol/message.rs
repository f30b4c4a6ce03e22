//! What servers send each other.

use serde::{Deserialize, Serialize};

use super::{Entry, Snapshot};

/// A message. All of them carry the sender's term.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// A candidate asks for a vote.
    RequestVote {
        /// The candidate's term.
        term: u64,
        /// The index of the last entry of its log.
        last_index: u64,
        /// The term of that entry.
        last_term: u64,
    },
    /// The answer to it.
    RequestVoteResponse {
        /// The voter's term.
        term: u64,
        /// Whether the candidate has the vote.
        granted: bool,
    },
    /// A leader sends entries, or none as a heartbeat.
    Append {
        /// The leader's term.
        term: u64,
        /// The index of the entry before those that are sent.
        prev_index: u64,
        /// The term of that entry.
        prev_term: u64,
        /// What follows it.
        entries: Vec<Entry>,
        /// Up to which entry the leader knows the log to be committed.
        commit: u64,
    },
    /// The answer to it.
    AppendResponse {
        /// The follower's term.
        term: u64,
        /// Whether the follower had the entry before those that were sent.
        success: bool,
        /// Up to which entry its log is the leader's now; or where it may be, if it was not a success.
        match_index: u64,
    },
    /// A leader sends its snapshot, because the entries that are missing are gone.
    InstallSnapshot {
        /// The leader's term.
        term: u64,
        /// The snapshot.
        snapshot: Box<Snapshot>,
    },
    /// The answer to it.
    SnapshotResponse {
        /// The follower's term.
        term: u64,
        /// Up to which entry its log is the leader's now.
        match_index: u64,
    },
}

impl Message {
    /// The sender's term.
    pub fn term(&self) -> u64 {
        match *self {
            Message::RequestVote { term, .. }
            | Message::RequestVoteResponse { term, .. }
            | Message::Append { term, .. }
            | Message::AppendResponse { term, .. }
            | Message::InstallSnapshot { term, .. }
            | Message::SnapshotResponse { term, .. } => term,
        }
    }
}
