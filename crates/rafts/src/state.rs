//! What can be seen of a Raft node.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use shakedown_cluster::{NodeId, NodeSet};

use crate::Membership;

/// What a node is in its term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are Raft's own")]
pub enum Role {
    #[default]
    Follower,
    PreCandidate,
    Candidate,
    Leader,
}

impl Role {
    /// The name that facts, views and JSON use.
    pub fn name(self) -> &'static str {
        match self {
            Role::Follower => "follower",
            Role::PreCandidate => "pre-candidate",
            Role::Candidate => "candidate",
            Role::Leader => "leader",
        }
    }

    /// The role in the TLA+ models, which have no pre-candidates: a node that asks whether it would win does
    /// not run yet.
    pub fn without_pre_vote(self) -> Role {
        if self == Role::PreCandidate { Role::Follower } else { self }
    }
}

/// A term: a number in most implementations, a ballot in others. Each has at most one leader.
pub trait Term: Copy + Ord + fmt::Debug + Send + 'static {
    /// A number for the term: a later term has a higher one. Waypoints and the TLA+ models count terms by it.
    fn number(self) -> u64;
}

impl Term for u64 {
    fn number(self) -> u64 {
        self
    }
}

/// A ballot: a round, and the node that leads it.
impl Term for (u64, NodeId) {
    fn number(self) -> u64 {
        self.0 * shakedown_cluster::NODES_MAX as u64 + self.1.index() as u64
    }
}

/// An entry of a log as far as the invariants are concerned: its term, and a digest of its contents.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct LogEntry<T = u64> {
    /// The term in which a leader made it.
    pub term: T,
    /// Stands for its contents.
    pub digest: u64,
}

/// What the invariants, waypoints and models need to see of a Raft node. Entries are numbered from 1.
pub trait RaftState {
    /// What a term is: `u64`, or anything ordered.
    type Term: Term;

    /// The node's term.
    fn term(&self) -> Self::Term;
    /// What it is in that term.
    fn role(&self) -> Role;
    /// Up to which entry it knows the log to be committed.
    fn commit(&self) -> u64;
    /// The number of the first entry that has not been compacted away.
    fn first_index(&self) -> u64;
    /// The number of the last entry.
    fn last_index(&self) -> u64;
    /// The entry of this number, unless it has been compacted away or is not there.
    fn entry(&self, number: u64) -> Option<LogEntry<Self::Term>>;

    /// The node that it voted for in its term. The TLA+ model needs it.
    fn vote(&self) -> Option<NodeId> {
        None
    }
    /// The membership that it goes by; none where it cannot be seen.
    fn membership(&self) -> Option<Membership> {
        None
    }
    /// The number and the term of the entry that made this membership; none where it cannot be seen, or where
    /// the cluster began with it.
    fn membership_entry(&self) -> Option<(u64, Self::Term)> {
        None
    }
    /// The same of the membership that its snapshot holds.
    fn snapshot_membership_entry(&self) -> Option<(u64, Self::Term)> {
        None
    }
    /// Up to which entry the log is durable: a crash does not lose it. None where this cannot be seen; then
    /// the whole log counts as durable.
    fn durable(&self) -> Option<u64> {
        None
    }
    /// Up to which entry the log is applied, and a digest of what applying it has led to.
    fn applied(&self) -> Option<(u64, u64)> {
        None
    }
    /// A number that changes whenever the log does, so that an unchanged log need not be looked at again.
    /// Without one, logs are compared after every step.
    fn log_version(&self) -> Option<u64> {
        None
    }
    /// The version in which the log last lost an entry at its end, or got another in its place. Since then it
    /// has only grown at its end, or was compacted at its beginning, so that what was looked at in a later
    /// version need not be looked at again. Without it, every new version may differ anywhere.
    fn log_rewritten(&self) -> Option<u64> {
        self.log_version()
    }
}

/// The number of the last entry and the entry: where log matching holds, logs that end alike are equal.
pub fn end_of_log<S: RaftState>(state: &S) -> (u64, Option<LogEntry<S::Term>>) {
    (state.last_index(), state.entry(state.last_index()))
}

/// A set of nodes as a list of their names, for views that are serialized.
pub fn nodes_as_json<S: Serializer>(nodes: &NodeSet, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(nodes.iter())
}
