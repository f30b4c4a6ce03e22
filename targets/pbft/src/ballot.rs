//! One epoch of one instance: a proposal and the votes on it.

use shakedown_cluster::NodeId;

use crate::signature::Digest;
use crate::{Value, Vote};

/// What a replica knows of one epoch of one instance. Votes may come before the proposal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ballot {
    pub proposal: Option<Value>,
    writes: Votes,
    accepts: Votes,
}

impl Ballot {
    pub fn writes(&mut self) -> &mut Votes {
        &mut self.writes
    }

    pub fn accepts(&mut self) -> &mut Votes {
        &mut self.accepts
    }

    /// The votes of this replica, the Write first.
    pub fn own(&self, me: NodeId) -> [Option<Vote>; 2] {
        [self.writes.of(me), self.accepts.of(me)]
    }
}

/// Votes of one phase: of each replica the first that came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Votes(Vec<Vote>);

impl Votes {
    pub fn enter(&mut self, vote: Vote) {
        if self.of(vote.sender).is_none() {
            self.0.push(vote);
        }
    }

    pub fn of(&self, node: NodeId) -> Option<Vote> {
        self.0.iter().copied().find(|vote| vote.sender == node)
    }

    /// The votes for this value, if they are so many.
    pub fn quorum_for(&self, digest: Digest, size: usize) -> Option<Vec<Vote>> {
        let votes = || self.0.iter().copied().filter(|vote| vote.digest == digest);
        (votes().count() >= size).then(|| votes().collect())
    }
}
