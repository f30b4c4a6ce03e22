//! Ballots, and what is proposed under them.

use std::fmt;

use serde::{Serialize, Serializer};
use shakedown_cluster::{NodeId, RequestId};

/// A ballot, shown as `7.n2`. Two coordinators never have the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ballot {
    /// What a clock said, or more.
    pub count: u64,
    /// The coordinator.
    pub node: NodeId,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.count, self.node)
    }
}

impl Serialize for Ballot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:?}"))
    }
}

/// A transaction, shown as `t1`. It is the request that it came with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Transaction(pub RequestId);

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0.0 + 1)
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A value that a transaction wants to write, under a ballot: proposed, accepted or committed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Proposal {
    /// The ballot.
    pub ballot: Ballot,
    /// The transaction.
    pub transaction: Transaction,
    /// The value.
    pub value: u64,
}

impl fmt::Debug for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}@{:?}", self.transaction, self.value, self.ballot)
    }
}

/// The ballot of a proposal that may not be there.
pub(crate) fn ballot_of(proposal: Option<Proposal>) -> Option<Ballot> {
    proposal.map(|proposal| proposal.ballot)
}

/// The one of the higher ballot.
pub(crate) fn newer(one: Option<Proposal>, other: Option<Proposal>) -> Option<Proposal> {
    if ballot_of(other) > ballot_of(one) { other } else { one }
}
