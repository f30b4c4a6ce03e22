//! Ballots, and what is voted for in them.

use std::fmt;

use serde::Serialize;
use shakedown_cluster::NodeId;

/// A ballot: numbers first, then whose it is, so that no two primaries share one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
pub struct Ballot {
    /// Its number; 0 before there is any.
    pub number: u64,
    /// Whose it is.
    pub owner: Option<NodeId>,
}

impl fmt::Debug for Ballot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.owner {
            None => write!(f, "0"),
            Some(owner) => write!(f, "{}/{owner}", self.number),
        }
    }
}

/// A value that was voted for, and in which ballot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Entry {
    /// The ballot of the vote.
    pub ballot: Ballot,
    /// The value.
    pub value: u64,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{:?}", self.value, self.ballot)
    }
}
